"""What a variational method does not take, and says so."""

from types import SimpleNamespace

import numpy as np
import pytest
from support.redundant import *  # noqa: F403

import chasles as ch
from chasles.integrators.discrete import discrete_mechanics
from chasles.integrators.equations import equations
