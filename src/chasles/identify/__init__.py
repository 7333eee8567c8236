"""Identification: the inertial parameters that measured joint forces can tell apart."""
