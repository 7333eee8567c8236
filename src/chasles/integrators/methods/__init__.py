"""The methods, one file each: found by its name, and has METHOD."""
