"""Robots to be looked at: a page that computes with their own functions."""

from chasles.view.page import Page, page

__all__ = ["Page", "page"]
