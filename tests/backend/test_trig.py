"""sin and cos: within 2 ulp of mpmath, wherever the argument lies."""

import mpmath
import numpy as np
import pytest
from support.kernels import build, same
from support.sweeps import sweep

import chasles as ch
from chasles.backend.llvm.target import X86_64, X86_64_V3, host
from chasles.backend.llvm.trig import LARGEST_ARGUMENT as LARGEST

mpmath.mp.dps = 50
PROGRAM = ch.compile(lambda x: [np.sin(x), np.cos(x)], x=()).program
TARGETS = {"host": host(), "avx2": X86_64_V3, "sse2": X86_64} if host().is_x86 else {"host": host()}


def signs(x):
    return np.concatenate([x, -x])


def near_multiples(rng, count, largest=LARGEST):
    """The doubles next to multiples of pi/2."""
    most = int(largest / 1.5708)
    ks = np.unique(np.concatenate([np.arange(1, 200), rng.integers(1, most, count), [most]]))
    x = np.array([float(int(k) * mpmath.pi / 2) for k in ks])
    return np.concatenate([x, np.nextafter(x, 0.0), np.nextafter(x, np.inf)])


SAMPLES = {
    "uniform": lambda rng: rng.uniform(-10.0, 10.0, 3000),
    "to the limit": lambda rng: np.concatenate(
        [
            rng.uniform(-LARGEST, LARGEST, 3000),
            [
                LARGEST,
                -LARGEST,
                np.nextafter(LARGEST, 0.0),
                64758.96936048541,
                -63661.48434411159,
            ],
        ]
    ),
    "every size": lambda rng: signs(10.0 ** rng.uniform(-30.0, 5.0, 2000)),
    "near multiples of pi/2": lambda rng: signs(near_multiples(rng, 1000)),
    "near multiples of pi/4": lambda rng: rng.integers(1, 100000, 1000) * np.pi / 4,
    "tiny": lambda rng: signs(
        np.concatenate([10.0 ** rng.uniform(-300.0, -5.0, 500), 2.0 ** -np.arange(20.0, 40.0, 0.25)])
    ),
    "zeros and subnormals": lambda rng: signs(np.array([0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-300])),
    "beyond": lambda rng: signs(
        np.concatenate([[np.nextafter(LARGEST, np.inf)], 10.0 ** rng.uniform(5.0, 300.0, 1000)])
    ),
    "where the fast range ends": lambda rng: signs(
        np.concatenate(
            [np.pi / 2 * (2.0**16 + rng.uniform(-2.0, 2.0, 200)), 1.5 * 2.0**52 * rng.uniform(1.5, 1.6, 200)]
        )
    ),
    "far multiples": lambda rng: signs(near_multiples(rng, 300, 1e12)),
}


def errors(found, x, name, dtype):
    """In units in the last place of the exact value."""
    exact = [getattr(mpmath, name)(mpmath.mpf(float(v))) for v in x]
    size = np.spacing(np.abs(np.array([float(v) for v in exact]).astype(dtype))).astype(float)
    return np.array([float(abs(mpmath.mpf(float(f)) - e)) for f, e in zip(found, exact, strict=True)]) / size


@pytest.mark.parametrize("target", sweep(TARGETS, 1))
@pytest.mark.parametrize("sample", SAMPLES)
def test_float64(sample, target, rng):
    x = SAMPLES[sample](rng)
    found = build(PROGRAM, TARGETS[target])(x)
    for k, name in enumerate(("sin", "cos")):
        worst = errors(found[:, k], x, name, np.float64)
        assert worst.max() <= 2.0, (x[worst.argmax()], worst.max())


@pytest.mark.parametrize("target", sweep(TARGETS, 1))
@pytest.mark.parametrize("sample", SAMPLES)
def test_float32(sample, target, rng):
    with np.errstate(over="ignore", under="ignore"):
        x = SAMPLES[sample](rng).astype("f4")
    x = x[np.isfinite(x)]
    found = build(PROGRAM, TARGETS[target], "float32")(x)
    for k, name in enumerate(("sin", "cos")):
        worst = errors(found[:, k], x, name, np.float32)
        assert worst.max() <= 2.0, (x[worst.argmax()], worst.max())


def test_the_hardest_double():
    """The double nearest to a multiple of pi/2 of all: 8 ulp by glibc, which computes what is beyond the limit."""
    x = 6381956970095103.0 * 2.0**797
    found, exact = ch.Kernel(PROGRAM, "sincos")(x), [mpmath.sin(mpmath.mpf(x)), mpmath.cos(mpmath.mpf(x))]
    assert all(abs(f - float(e)) <= 1e-14 * abs(float(e)) for f, e in zip(found, exact, strict=True))


@pytest.mark.parametrize("largest", [1.0, 10.0, 1e5])
def test_float32_against_numpy_in_float64(largest, rng):
    """Many more numbers, as NumPy's float64 is exact for the purpose."""
    x = rng.uniform(-largest, largest, 1_000_000).astype("f4")
    found = build(PROGRAM, None, "float32")(x)
    for k, function in enumerate((np.sin, np.cos)):
        exact = function(x.astype(float))
        assert (np.abs(found[:, k] - exact) <= 2.0 * np.spacing(np.abs(exact).astype("f4"))).all()


@pytest.mark.slow
def test_all_multiples_of_half_pi(rng):
    x = near_multiples(rng, 10**6)
    found = ch.Kernel(PROGRAM, "sincos")(x)
    for k, name in enumerate(("sin", "cos")):
        assert errors(found[:, k], x, name, np.float64).max() <= 2.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", TARGETS)
def test_signs_of_zero_and_nothing_underflows(target, dtype):
    finfo = np.finfo(dtype)
    tiny = 2.0 * finfo.smallest_normal if TARGETS[target] == X86_64 else finfo.smallest_subnormal
    x = np.append(tiny ** np.linspace(0.0, 1.0, 100), 0.0).astype(dtype)
    with np.errstate(all="raise"):
        y = build(PROGRAM, TARGETS[target], dtype)(np.concatenate([x, -x]))
    assert same(y[50:101, 0], x[50:]) and same(y[151:, 0], -x[50:])
    assert (y[50:101, 1] == 1.0).all() and same(y[101:, 0], -y[:101, 0]) and same(y[101:, 1], y[:101, 1])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 1e10, -1e30])
@pytest.mark.parametrize("size", [1, 5, 8, 16, 23])
def test_a_special_row_disturbs_no_other(dtype, special, size, rng):
    kernel = ch.compile(lambda x, y: [np.sin(x), np.cos(x) * y, np.sin(np.cos(x) + y), y], dtype=dtype, x=(), y=())
    x, y = rng.uniform(-3, 3, (2, size)).astype(dtype)
    expected = kernel(x, y)
    for place in {0, size // 2, size - 1}:
        z = x.copy()
        z[place] = special
        if np.isinf(special):
            with pytest.warns(RuntimeWarning, match="invalid value"):
                found = kernel(z, y)
        else:
            with np.errstate(all="raise"):
                found = kernel(z, y)
        others = np.arange(size) != place
        assert same(found[others], expected[others]) and found[place, 3] == y[place]
        if np.isfinite(special):
            assert np.isclose(found[place, 0], np.sin(float(z[place])), rtol=1e-6)
        else:
            assert np.isnan(found[place, :3]).all()
