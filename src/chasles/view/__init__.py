"""Robots to be looked at: a page that computes with their own functions."""

from chasles.view.page import page
from chasles.web_page import Page

__all__ = ["Page", "page"]
