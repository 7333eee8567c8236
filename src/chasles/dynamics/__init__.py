"""One recursion per file, on any leaf and any tree."""
