"""Numbers: the operations every leaf understands, and the series that are smooth at zero."""
