"""What is computed from a robot's functions: geodesics of its metric, linearisations. Below `robot`, which calls it."""
