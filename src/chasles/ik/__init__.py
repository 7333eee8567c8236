"""Inverse kinematics: configurations at which frames have given poses, by damped least squares from many starts."""
