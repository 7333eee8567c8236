"""Kernels: a function is a program until a number reaches it.

`Kernel` (kernel.py) holds a program: called with traced values it is written out where it is called, with numbers it is
compiled once, by a back end, and then runs. compile.py makes kernels of the user's own functions.
"""
