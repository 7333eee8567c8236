"""From a program to machine code that NumPy calls. Knows no robots."""
