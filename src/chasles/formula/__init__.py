"""Formulas that people read: trees, and what prints them. No robots, no graph."""
