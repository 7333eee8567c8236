"""The robot as a Riemannian manifold, with its inertia metric and Levi-Civita's connection: geodesics, flatness, balance, tensors of large robots."""
