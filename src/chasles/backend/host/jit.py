"""Machine code from IR, just in time: compile to an object file, load it, fill its table of addresses."""

import ctypes
import functools
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from chasles.backend.host import cache, memory, parts
from chasles.backend.host.addresses import addresses
from chasles.backend.llvm.target import Target, host
from chasles.errors import CompileError

lock = threading.RLock()  # of everything that makes kernels; LLVM is not entered without it,
_left = threading.Lock()  # but by a thread that has this one, for whom another waits that has the first


def _at_rest() -> None:
    """A fork waits until LLVM is at rest, or its child could never enter it."""
    lock.acquire()
    _left.acquire()


def _on() -> None:
    _left.release()
    lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_at_rest, after_in_parent=_on, after_in_child=_on)

EFFORT = 2  # LLVM's, at generating code: 0 takes a third of the time, and the code as many times longer
HASTE, MANY = 1, 16  # of modules of so many parts: a fifth of the time less, and code that is 1 % slower
COMPARED = 200  # loads and stores: a fraction of the time of 1,000, and the code as good


@functools.cache
def _machine(target: Target, effort: int, whole: bool = True) -> Any:
    """whole: a module is one object file. Several have addresses in full: LLVM's loader mixes up their tables."""
    import llvmlite.binding as llvm

    _set_options()
    if target == host():
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    description = llvm.Target.from_triple(target.triple)
    return description.create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=effort,
        reloc="pic" if whole else "static",
        codemodel="jitdefault" if target == host() else "small",
    )


@functools.cache
def _set_options() -> None:
    """An option of all that uses LLVM in this process, for want of one of a machine; it changes no number. LLVM's
    scheduler compares the loads and stores of a block each with each, and takes them to be in order where there are
    more than 1,000: a second for some hundred columns of outputs."""
    import llvmlite.binding as llvm

    llvm.set_option("chasles", f"-dag-maps-huge-region={COMPARED}")


def compile_object(ir: str, target: Target, passes: bool = False) -> bytes:
    """An object file for the target. passes: over the IR too, from which straight-line code gains nothing."""
    with lock:
        return _object(ir, _machine(target, EFFORT), passes)


def _object(ir: str, machine: Any, passes: bool = False) -> bytes:
    import llvmlite.binding as llvm

    memory.for_compiling(ir)
    with llvm.create_context() as context:  # the global one would keep every constant for ever
        try:
            with llvm.parse_assembly(ir, context) as parsed:
                parsed.verify()
                if passes:
                    _simplified(parsed, machine)
                return machine.emit_object(parsed)
        except RuntimeError as error:
            raise CompileError(f"the generated code is not valid ({error}); please report this") from error


def _simplified(parsed: Any, machine: Any) -> None:
    """Variables into registers, and what that makes superfluous."""
    import llvmlite.binding as llvm

    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(parsed, builder)


def assembly(ir: str, target: Target) -> str:
    """The assembly text of a module, to read."""
    import llvmlite.binding as llvm

    with lock, llvm.create_context() as context, llvm.parse_assembly(ir, context) as parsed:
        return _machine(target, EFFORT).emit_assembly(parsed)


def load_or_compile(
    identity: str,
    ir: Callable[[], str],
    exported: Sequence[str],
    imports: tuple[str, ...],
    passes: bool = False,
) -> "Loaded":
    """The loaded code of an identity: from the cache on disk, or compiled and put there."""
    found = load(identity, exported, imports)
    if found is None:
        pieces = parts.split(ir())
        code = parts.pack(_left_behind(pieces)) if len(pieces) > 1 else compile_object(pieces[0], host(), passes)
        cache.store(identity, code)
        found = Loaded(code, exported, imports)
    return found


def _left_behind(pieces: list[str]) -> list[bytes]:
    """Object files of the parts of a module, made by a thread that an exception from a signal leaves behind: it ends
    with its part, and what it made is dropped."""
    machine = _machine(host(), EFFORT if len(pieces) < MANY else HASTE, False)
    objects: list[bytes] = []
    faults: list[BaseException] = []
    ended, waiting = threading.Event(), True

    def work() -> None:
        with _left:
            try:
                while waiting and len(objects) < len(pieces):
                    objects.append(_object(pieces[len(objects)], machine))
            except BaseException as fault:
                faults.append(fault)
            finally:
                ended.set()

    if memory.is_there_for_a_thread():
        threading.Thread(target=work, name="chasles-compile").start()
    else:
        work()
    try:
        ended.wait()  # not join, after whose interruption Python takes a thread for ended, and does not wait for it
    finally:
        waiting = False
    if faults:
        raise faults[0]
    return objects


def load(identity: str, exported: Sequence[str], imports: tuple[str, ...]) -> "Loaded | None":
    """The loaded code of an identity, if it is in the cache on disk."""
    code = cache.load(identity)
    return None if code is None else Loaded(code, exported, imports)


class Loaded:
    """Machine code in memory, for as long as this object lives; `address` has its exported functions."""

    def __init__(self, code: bytes, exported: Sequence[str], imports: tuple[str, ...]) -> None:
        import llvmlite.binding as llvm

        with lock:
            memory.for_loading(code)
            engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine_copy())
            try:
                for part in parts.unpack(code):
                    engine.add_object_file(llvm.ObjectFileRef.from_data(part))
                engine.finalize_object()
                table = engine.get_global_value_address("chasles_table")
                self.address = {name: engine.get_function_address(name) for name in exported}
            except RuntimeError as error:
                raise CompileError(f"the machine code could not be loaded: {error}") from error
            if not (table and all(self.address.values())):
                raise CompileError("the machine code lacks its entry points")
            slots = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
            for k, address in enumerate(addresses(imports)):
                slots[k] = address
            self._engine = _Engine(engine)


class _Engine:
    """An engine of LLVM, closed at its end. An object apart: one with a finalizer is still found by weak references
    while it ends."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def __del__(self, ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ending():  # when the interpreter ends, LLVM may be gone already
            with lock:  # LLVM is entered
                self.engine.close()


def _machine_copy() -> Any:
    """A target machine for an engine to own."""
    import llvmlite.binding as llvm

    _machine(host(), EFFORT)
    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(cpu=target.cpu, features=target.features)
