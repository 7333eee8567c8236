"""Robots to be looked at: a page that computes with their own functions."""

from chasles.view.page import page

__all__ = ["page"]
