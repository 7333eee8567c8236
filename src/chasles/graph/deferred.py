"""Programs whose operands are known before they are traced."""

from collections.abc import Callable
from typing import Any

from chasles.graph.operand import Operand
from chasles.graph.program import Program


class Deferred(Program):
    """A program that is traced when somebody looks into it, and from then on is a `Program` like any other.

    recipe: a text that says all the program is made from, so that equal recipes make equal programs; back ends may know
    by it what they made of the program before. Empty where there is none.
    """

    recipe: str
    _trace: Callable[[], Program]

    def __init__(
        self, inputs: tuple[Operand, ...], outputs: tuple[Operand, ...], recipe: str, trace: Callable[[], Program]
    ) -> None:
        self.__dict__.update(inputs=inputs, outputs=outputs, recipe=recipe, _trace=trace)

    def traced(self) -> Program:
        """This program, traced now."""
        if type(self) is Deferred:
            made = self._trace()
            self.__dict__.update(nodes=made.nodes, results=made.results, loops=made.loops)
            self.__dict__.pop("_trace", None)
            object.__setattr__(self, "__class__", Program)
        return self

    @property
    def nodes(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.traced().__dict__["nodes"]

    @property
    def results(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.traced().__dict__["results"]

    @property
    def loops(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.traced().__dict__["loops"]

    @property
    def is_traced(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return self.traced() == other

    def __hash__(self) -> int:
        return hash(self.traced())

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.traced()
        return Program, (made.inputs, made.outputs, made.nodes, made.results, made.loops)


def recipe_of(program: Program) -> str:
    """What a program was made from; empty where that was not said."""
    return program.__dict__.get("recipe", "")
