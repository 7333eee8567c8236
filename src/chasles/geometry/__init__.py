"""The robot as a Riemannian manifold: its connection and curvature, on any leaf."""
