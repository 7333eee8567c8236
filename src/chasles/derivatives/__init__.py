"""Derivatives on arrays: linearised motion, second derivatives of large robots, canonical coordinates of a step."""
