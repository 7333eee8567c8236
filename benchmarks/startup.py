"""Startup, what a new process pays: the import, and the first call with an empty and with a filled cache.

Modules are loaded as bytecode, as those that pip installed are, whatever the environment says of writing any.
"""

import tempfile
from statistics import median

from figures import Figure, Target
from timing import Effort, printed

_IMPORT = """
import time, numpy
begin, used = time.perf_counter(), time.process_time()
import chasles
print(time.perf_counter() - begin, time.process_time() - used)
"""

_FIRST = """
import time, numpy, chasles
q = numpy.zeros(6)
begin, used = time.perf_counter(), time.process_time()
robot = chasles.load("ur5")
robot.inverse_dynamics(q, q, q)
print(time.perf_counter() - begin, time.process_time() - used)
"""


def startup(effort: Effort) -> list[Figure]:
    """Medians over fresh processes, of the wall's clock; the processor's is noted."""
    imports, cold, warm = [], [], []
    with tempfile.TemporaryDirectory() as bytecode:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": bytecode}
        for _ in range(effort.processes + 1):
            imports.append(printed(_IMPORT, **compiled))
            with tempfile.TemporaryDirectory() as folder:
                cold.append(printed(_FIRST, CHASLES_CACHE_DIR=folder, **compiled))
                warm.append(printed(_FIRST, CHASLES_CACHE_DIR=folder, **compiled))
    imports, cold, warm = (times[1:] for times in (imports, cold, warm))  # the first ones wrote the bytecode

    def figure(name: str, times: list[list[float]], bound: float) -> Figure:
        wall, used = (median(column) * 1e3 for column in zip(*times, strict=True))
        return Figure(
            name, wall, "ms", target=Target("value", "at most", bound), note=f"{used:.0f} ms of the processor"
        )

    return [
        figure("import chasles, numpy there already", imports, 40.0),
        figure("load UR5 and first call, cache empty", cold, 400.0),
        figure("load UR5 and first call, cache filled", warm, 100.0),
    ]
