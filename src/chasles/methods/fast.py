"""Methods that are called so often that their kernel is an attribute of the robot."""

from typing import Any


class Fast:
    """The single-call function of a kernel with default options, put into the robot when first asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    def __get__(self, robot: Any, owner: type | None = None) -> Any:
        if robot is None:  # asked of the class, as by help()
            return self
        kernel = robot._make((self.name,))
        if not kernel.compiled:
            return kernel.call
        robot.__dict__[self.attribute] = kernel.fast
        return kernel.fast
