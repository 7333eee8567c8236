"""Reports: one self-contained page about a robot."""
