"""Functions as files that others compile: `robot.export`, `kernel.export`, `chasles export`."""

from chasles.export.export import export_kernel, export_system

__all__ = ["export_kernel", "export_system"]
