"""Mechanisms: trees, joints and links, as immutable data, without algorithms."""
