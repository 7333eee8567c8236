"""Hash-consed expressions: what a traced function becomes. Knows no robots and no machines."""
