"""Memory for making and loading machine code, asked for before: where LLVM finds none it ends the process, or goes on
with code that cannot run.

A kernel in memory is some maps of the process, of which the system allows so many (65,530 of Linux's, by default): from
about 21,000 kernels on there are none left.
"""

COMPILING, FOR_EACH_CHARACTER = 16 << 20, 60  # bytes that LLVM takes, at most, and for each character of IR
THREAD = 256 << 20  # bytes that a thread reserves for itself when it begins to take memory
LOADING, FOR_EACH_BYTE = 4 << 20, 4  # likewise, and for each byte of an object file
SPARE = 2000  # maps that are left to others
EVERY = 64  # kernels between two counts of maps
_LIMIT, _MAPS = "/proc/sys/vm/max_map_count", "/proc/self/maps"

_loaded = [0]  # kernels since the maps were counted


def for_compiling(ir: str) -> None:
    """Refuse to compile a module that there is no memory for."""
    _ask(COMPILING + FOR_EACH_CHARACTER * len(ir), "to compile a kernel")


def is_there_for_a_thread() -> bool:
    """Whether there is enough for another thread to compile."""
    try:
        _ask(THREAD, "")
    except MemoryError:
        return False
    return True


def for_loading(code: bytes) -> None:
    """Refuse to load object files that there is no memory, or no map of it, for."""
    _ask(LOADING + FOR_EACH_BYTE * len(code), "to load a kernel")
    _loaded[0] += 1
    if _loaded[0] >= EVERY:
        _count_maps()
        _loaded[0] = 0


def _ask(size: int, what: str) -> None:
    import numpy as np

    try:
        np.empty(size, np.uint8)  # which is not touched, so that it costs nothing
    except MemoryError:
        raise MemoryError(f"no memory {what}: {size >> 20} MB are needed") from None


def _count_maps() -> None:
    """Raise where few are left; where the system does not say how many there are, it may have no limit."""
    try:
        with open(_LIMIT) as file:
            limit = int(file.read())
        with open(_MAPS, "rb") as file:
            maps = sum(1 for _ in file)
    except (OSError, ValueError):
        return
    if maps > limit - SPARE:
        raise MemoryError(
            f"this process has {maps:,} memory maps of the {limit:,} that the system allows, and each kernel in memory "
            "takes about three: drop robots and kernels that are no longer needed, or raise the limit by "
            f"sysctl vm.max_map_count={4 * limit}"
        )
