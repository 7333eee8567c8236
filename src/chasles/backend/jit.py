"""From IR to machine code in memory: compile to an object file, load it, fill its table of addresses."""

import ctypes
import functools
import os
import threading
from typing import Any, ClassVar

from chasles.backend.table import addresses
from chasles.backend.target import Target, host
from chasles.errors import CompileError

lock = threading.RLock()  # of everything that makes kernels; LLVM is not entered without it
if hasattr(os, "register_at_fork"):  # a fork waits until LLVM is at rest, or its child could never enter it
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


@functools.cache
def _machine(target: Target) -> Any:
    import llvmlite.binding as llvm

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
        opt=2,
        reloc="pic",
        codemodel="jitdefault" if target == host() else "small",
    )


def compile_object(ir: str, target: Target) -> bytes:
    """An object file for the target. No passes over the IR: straight-line code gains nothing by them."""
    import llvmlite.binding as llvm

    with lock:
        machine = _machine(target)
        try:
            parsed = llvm.parse_assembly(ir)
            parsed.verify()
        except RuntimeError as error:
            raise CompileError(f"the generated code is not valid ({error}); please report this") from error
        return machine.emit_object(parsed)


def assembly(ir: str, target: Target) -> str:
    """The assembly text of a module, to read."""
    import llvmlite.binding as llvm

    with lock:
        return _machine(target).emit_assembly(llvm.parse_assembly(ir))


class Loaded:
    """Machine code in memory, for as long as the process lives: NumPy and the user may hold functions of it."""

    _all: ClassVar["list[Loaded]"] = []

    def __init__(self, code: bytes) -> None:
        import llvmlite.binding as llvm

        with lock:
            engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine_copy())
            try:
                engine.add_object_file(llvm.ObjectFileRef.from_data(code))
                engine.finalize_object()
                table = engine.get_global_value_address("chasles_table")
                self.loop = engine.get_function_address("loop")
                self.fast = engine.get_function_address("fast")
            except RuntimeError as error:
                raise CompileError(f"the machine code could not be loaded: {error}") from error
            if not (table and self.loop and self.fast):
                raise CompileError("the machine code lacks its entry points")
            slots = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
            for k, address in enumerate(addresses()):
                slots[k] = address
            self._engine = engine
            Loaded._all.append(self)


def _machine_copy() -> Any:
    """A target machine for an engine to own."""
    import llvmlite.binding as llvm

    _machine(host())
    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(cpu=target.cpu, features=target.features)
