"""A user's script, run with little effort at generating code: `python quickly.py SCRIPT`."""

import runpy
import sys
from pathlib import Path

from chasles.backend.host import jit

jit.EFFORT = 0
del sys.argv[0]
sys.path[0] = str(Path(sys.argv[0]).parent)  # the script's: this folder has names that the standard library has too
runpy.run_path(sys.argv[0], run_name="__main__")
