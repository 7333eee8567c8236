"""Functions as files that others compile: `robot.export`, `kernel.export`, `chasles export`."""
