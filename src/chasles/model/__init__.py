"""What a mechanism is: immutable data, no algorithms."""
