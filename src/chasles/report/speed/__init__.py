"""Speed of a robot's functions, measured side by side with the peers that are installed."""
