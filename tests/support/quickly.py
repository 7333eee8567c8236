"""A user's script, run with little effort at generating code: `python quickly.py SCRIPT`."""

import runpy
import sys

from chasles.backend.host import jit

jit.EFFORT = 0
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
