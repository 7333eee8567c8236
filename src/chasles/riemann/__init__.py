"""The robot as a Riemannian manifold, with the inertia metric and the Levi-Civita connection of it.

Geodesics, flatness, balance, and the tensors of large robots.
"""
