"""The robot as a Riemannian manifold: geodesics of its inertia metric, flatness, balance, tensors of large robots."""
