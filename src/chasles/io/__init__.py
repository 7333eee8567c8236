"""Files to mechanisms, and back."""
