"""Robots to be looked at: a page that computes with their own functions. `robot.page()` and `robot.show()` make it."""

from chasles.web_page import Page

__all__ = ["Page"]
