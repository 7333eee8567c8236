"""Second formulations, which teach and check: closed form, Brockett's traces, Kool's lines, three cases, adjoints."""
