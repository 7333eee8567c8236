"""Derivatives of loops, as loops: the rules of the chain rule (graph/chain_rule.py) where it meets one.

Of x_{k+1} = S(x_k, g, e_k), the steps of a row until it stopped at x_N, and with S_x = dS/dx at step k and so on:

    forward:      dx_{k+1} = S_x dx_k + S_g dg + S_e de_k, carried beside x                           (1)
    reverse:      xbar_k = S_x^T xbar_{k+1},  gbar += S_g^T xbar_{k+1},  ebar_k = S_e^T xbar_{k+1}     (2)
    fixed point:  dx = (1 - S_x)^-1 S_g dg,   gbar = S_g^T (1 - S_x)^-T xbar,   at x = S(x, g)        (3)

(1) and (2) are the rule "steps": exact for what the loop computes, each row by the iterations it made. (2) keeps the
states, of long loops those of about sqrt(count) iterations at a time (graph/loop_reverse.py), and so needs `count`.

(3) is the rule "fixed_point" (graph/fixed_point.py), the implicit function theorem: the derivative of the solution, not
of the iteration, from one step at its end. It is valid where the loop has converged, all that is carried has come to
rest (no counters) and 1 - S_x is regular: an attracting or a superattracting point, as of Newton's method. What the
loop started at has then no influence. The last `until` says whether a row has converged. A loop with an `equation` is
differentiated by that in place of x = S(x, g) (graph/equation.py).

`until` is a status: its derivative is 0. Derivatives are programs and loops, so they differentiate again.
"""

from chasles.errors import TraceError
from chasles.graph import equation, fixed_point, loop_forward, loop_reverse
from chasles.graph.chain_rule import Pulled, Tangents
from chasles.graph.program import Loop
from chasles.graph.run_loop import register
from chasles.scalar.dual import Dual
from chasles.scalar.leaf import Leaf


def reversible(loop: Loop) -> bool:
    """Whether reverse mode may take the loop back."""
    if loop.restart or (loop.count is None and loop.rule == "steps"):
        return False
    return all(map(reversible, loop.step.loops))


def push_loop(loop: Loop, args: list[Leaf], tangents: Tangents, items: set[int] | None = None) -> Tangents:
    """The tangents of the flat outputs for those of the flat inputs, by (1) or (3).

    A tangent maps a direction to what is not structurally 0. items: the outputs that are asked for; all, if None.
    """
    outputs = sum(o.size for o in loop.outputs)
    if not any(tangents):
        return [{}] * outputs
    _refuse_restart(loop)
    if loop.equation is not None:
        return equation.push_loop(loop, args, tangents, push_loop)
    rule = fixed_point.push_loop if loop.rule == "fixed_point" else loop_forward.push_loop
    return rule(loop, args, tangents, set(range(outputs)) if items is None else items, push_loop)


def pull_loop(loop: Loop, args: list[Leaf], adjoints: dict[int, Leaf], wanted: list[bool]) -> Pulled:
    """The adjoints of the flat inputs that are wanted for those of the flat outputs, by (2) or (3); others are 0."""
    if not adjoints or not any(wanted):
        return Pulled([0.0] * len(args))
    _refuse_restart(loop)
    if loop.equation is not None:
        return Pulled(equation.pull_loop(loop, args, adjoints, wanted, pull_loop))
    if loop.rule == "fixed_point":
        return Pulled(fixed_point.pull_loop(loop, args, adjoints, wanted, (push_loop, pull_loop)))
    if loop.count is None:
        raise TraceError(
            f"the loop that carries {', '.join(loop.carry)} has no count, so there is no bound on what reverse mode "
            'would keep of it: give count, the most iterations, or rule="fixed_point", or differentiate forward'
        )
    return loop_reverse.pull_loop(loop, args, adjoints, wanted, pull_loop)


def _refuse_restart(loop: Loop) -> None:
    if loop.restart:
        raise TraceError(f"the search for {', '.join(loop.carry)} has no derivative: differentiate what it solves")


def run_on_duals(loop: Loop, leaves: list[Leaf]) -> list[Leaf]:
    """The loop on dual numbers, by (1) or (3)."""
    duals = [x if type(x) is Dual else Dual(x) for x in leaves]
    values = [x.value for x in duals]
    tangents = push_loop(loop, values, [{0: x.derivative} for x in duals])
    return [Dual(y, dy.get(0, 0.0)) for y, dy in zip(loop.run(values), tangents, strict=True)]


register(Dual, run_on_duals)
