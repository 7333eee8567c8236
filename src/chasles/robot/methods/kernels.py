"""Kernels of a robot's methods: each is compiled when first called, and kept."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chasles.arguments import names as strings
from chasles.arguments import one_of, shown, text
from chasles.errors import ModelError, SingularMassMatrixError
from chasles.lazy import lazy
from chasles.literals import Expressed
from chasles.model.leaves import is_zero
from chasles.model.link import Link
from chasles.model.mechanism import TENSOR_LIMIT
from chasles.model.task import TOOL, Frames, Rows, Task, task
from chasles.robot.methods.base import Methods
from chasles.robot.methods.forward import FORWARDED

if TYPE_CHECKING:  # the compiler is imported when something is compiled
    from chasles.function.kernel import Kernel
    from chasles.model.tree import Tree


def large(function: str) -> Callable[..., Any]:
    """The function "module:function" of the catalogue, for robots too large for a kernel."""
    module, name = function.split(":")
    return getattr(import_module(module), name)


class KernelMethods(Methods):
    """The kernels of a robot, by name and options."""

    def kernel(
        self,
        names: str | Sequence[str],
        dtype: str = "float64",
        target: str = "cpu",
        *,
        frame: Frames = None,
        expressed: Expressed = "body",
        rows: Rows = None,
        inputs: str | Sequence[str] = (),
        parameters: str | Sequence[str] = (),
    ) -> Kernel:
        """The raw compiled function of one of the robot's functions, or of several fused into one.

        names: such as "inverse_dynamics", or a list, whose results come as a named tuple and share all common work.
        inputs: optional inputs to have, such as ["tool_wrench"]. parameters: links whose inertia is an input of the
        kernel, "parameters" (..., k, 10) in the order of `inertial_parameters`, so that it may change without
        recompilation. rows, and several frames: of functions of a task, as for `task_inertia`. target: the back end
        that runs it.
        """
        from chasles.catalogue import find

        chosen = (names,) if isinstance(names, str) else tuple(strings(names, "names"))
        if not chosen:
            raise ModelError("name at least one function to compile")
        for name in chosen:
            if chosen.count(name) > 1:
                raise ModelError(f"names has {name!r} twice")
        wanted = (inputs,) if isinstance(inputs, str) else tuple(strings(inputs, "inputs"))
        links = (parameters,) if isinstance(parameters, str) else tuple(strings(parameters, "parameters"))
        for link in links:
            if links.count(link) > 1:
                raise ModelError(f"parameters names link {link!r} twice")
        bodies = tuple(self._link(link) for link in links)
        tasks = [find(name).task for name in chosen]
        if rows is not None and not any(tasks):
            raise ModelError(f"rows: {', '.join(chosen)} is not a function of a task")
        rest: Any = None if all(tasks) else frame  # several frames are refused there
        which = task(frame, rows) if any(tasks) else TOOL
        text(target, "target")
        return self._make(chosen, dtype, rest, expressed, wanted, bodies, which, target=target)

    def _make(
        self,
        names: tuple[str, ...],
        dtype: str = "float64",
        frame: str | None = None,
        expressed: Expressed = "body",
        inputs: tuple[str, ...] = (),
        bodies: tuple[int, ...] = (),
        chosen: Task = TOOL,
        called: str | None = None,
        target: str = "cpu",
    ) -> Kernel:
        if frame is not None and not isinstance(frame, str):
            self._mechanism.frame(frame)  # refuses it; a list would not even be a key
        one_of(expressed, "expressed", Expressed)
        key = (
            names,
            dtype if isinstance(dtype, str) else shown(dtype),
            frame,
            expressed,
            inputs,
            bodies,
            chosen,
            target,
        )
        made = self._kernels.get(key)
        if made is None:
            from chasles.catalogue import Options, kernel

            self._refuse(names, called, bodies)
            options = Options(frame, expressed, chosen)
            made = kernel(self._mechanism, names, dtype, options, inputs, bodies, called, target)
            self._kernels[key] = made
        return made

    def _prepare(self, key: Any) -> Callable[..., Any]:
        from chasles.catalogue import find
        from chasles.function.fallback import without_none
        from chasles.task.truncation import SAFE_MARGIN

        called, *values = (key,) if isinstance(key, str) else key
        forward, name = FORWARDED[called], called
        values += [None] * (len(forward.options) + len(forward.optional) - len(values))
        options: dict[str, Any] = dict(zip(forward.options, values, strict=False))
        given = tuple(x for x, is_given in zip(forward.optional, values[len(options) :], strict=True) if is_given)
        if forward.choice is not None:
            option, functions = forward.choice
            name = functions[one_of(options[option], option, tuple(functions))]
        item, frame, expressed = find(name), options.get("frame"), options.get("expressed", "body")
        if "plane" in item.needs and self.n < 2:  # where all that a kernel says is nan
            raise ModelError(f"{name}: robot {self.name!r} has fewer than two degrees of freedom: no plane")
        k, several = len(item.inputs), forward.result is not None
        if item.large is not None and self.n > TENSOR_LIMIT:
            self._refuse((name,))
            beyond = large(item.large)

            def compute(*arguments: Any) -> Any:
                x = without_none(arguments, k + len(given))
                result = beyond(self, *x[:k], **dict(zip(given, x[k:], strict=True)))
                return forward.kind(*result) if several else result

            return compute
        if item.task:
            names = (name, "task_margin") if item.together else (name,)
            made = self._make(names, expressed=expressed, chosen=task(frame, options["rows"]), called=name)
        else:
            made = self._make((name,), frame=frame, expressed=expressed, inputs=given)
        named = all(x is None or isinstance(x, str) for x in (frame, options.get("rows")))
        bound = SAFE_MARGIN if item.together else None
        watched = self._watch(name)

        def call(*arguments: Any) -> Any:
            result = watched(lambda around: around(made.call))(*without_none(arguments, k + len(given)))
            if made.compiled and named:  # not where the values were traced; of rows, 1 and True would be the same key
                self._quick[key] = watched(lambda around: made._door(forward.kind, bound, around))
            return forward.kind(*result) if several else result

        return call

    def _fused(self, names: tuple[str, ...], arguments: tuple[Any, ...], chosen: Task, expressed: Expressed) -> Any:
        call = self._make(names, expressed=expressed, chosen=chosen, called=names[0]).call
        return self._watch(names[0])(lambda around: around(call))(*arguments)

    def _watch(self, name: str) -> Callable[[Callable[[Any], Any]], Callable[..., Any]]:
        """What makes of a function's kernel one that names what has no answer, of robots that have such rows.

        It is given what makes the kernel's call, with a decorator around what is not machine code.
        """
        from chasles.catalogue import find

        item, m = find(name), self._mechanism
        if "inverse" not in item.needs or not self._is_watched:
            return lambda made: made(lambda call: call)
        from chasles.robot.mass_watch import watched

        return lambda made: watched(made, m, name, item)

    @lazy
    def _is_watched(self) -> bool:
        from chasles.robot.mass_watch import is_watched

        return is_watched(self._mechanism)

    def _link(self, link: str) -> int:
        if link not in self.link_names:
            raise ModelError(f"robot {self.name!r} has no moving link {link!r}; it has {', '.join(self.link_names)}")
        return self.link_names.index(link)

    def _refuse(self, names: tuple[str, ...], called: str | None = None, bodies: tuple[int, ...] = ()) -> None:
        """Raise where the robot has not what the functions need. bodies: links whose inertia is an input."""
        from chasles.catalogue import find

        needs = {need for name in names for need in find(name).needs}
        if "inverse" in needs:
            self._refuse_singular((called,) if called else names, bodies)
        if "metric" in needs:
            self._refuse_rotors(names)
        if "mass" in needs and not bodies and is_zero(self.total_mass):
            raise ModelError(f"{', '.join(names)}: nothing that moves has a mass in robot {self.name!r}")

    def _refuse_rotors(self, names: tuple[str, ...]) -> None:
        """Rotors behind a joint of several degrees are forces, not part of a metric on its group."""
        m = self._mechanism
        for joint, body in zip(m.joint_names, m.tree.bodies, strict=True):
            if body.joint.nv > 1 and not is_zero(*body.armature):
                raise ModelError(
                    f"{', '.join(names)}: joint {joint!r} has several degrees of freedom and armature, which is no "
                    "part of a metric: set its armature to zero"
                )

    def _refuse_singular(self, names: tuple[str, ...], bodies: tuple[int, ...]) -> None:
        """M is singular at every configuration. bodies: they may have any inertia."""
        m, joint = self._mechanism, self._singular
        if joint is not None and bodies:
            G = Link(1.0, inertia=(1.0, 1.0, 1.0)).spatial()
            given = (replace(body, G=G) if i in bodies else body for i, body in enumerate(m.tree.bodies))
            joint = self._singular_joint(replace(m.tree, bodies=tuple(given)))
        if joint is not None:
            followed = any(mimic is not None and mimic[0] == joint for mimic in m.mimics)
            raise SingularMassMatrixError(
                f"{', '.join(names)}: the mass matrix of robot {self.name!r} is singular at every configuration: "
                f"joint {m.joint_names[joint]!r}{', with those that mimic it,' * followed} moves no inertia of its "
                f"own. Give link {self.link_names[joint]!r}, or what it carries, a mass or inertia that the joint moves"
            )

    @lazy
    def _singular(self) -> int | None:
        return self._singular_joint(self._mechanism.tree)

    def _singular_joint(self, tree: Tree) -> int | None:
        """A joint that makes the mass matrix singular everywhere, were that the robot's tree."""
        from chasles.robot.singular_mass import singular_velocity

        m = self._mechanism
        velocity = singular_velocity(tree, m.coupling, indefinite=bool(m.impossible_links))
        own = [x.link for x in m.own_joints for _ in x.joint.columns]
        return None if velocity is None else own[velocity]
