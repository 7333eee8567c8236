"""`system.equations()`: the equations of robots, Lagrangian systems and systems under constraints, for people."""
