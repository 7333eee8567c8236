"""Random numbers of a seed and counters: their distribution, their independence, and the same bits everywhere."""

import numpy as np
import pytest
import scipy
from support.kernels import build, same
from support.tolerances import close

import chasles as ch
from chasles.backend.llvm.target import X86_64, X86_64_V3, host
from chasles.graph.interpret import interpret
from chasles.random import normal, uniform
from chasles.scalar import ops
from chasles.scalar.normal import quantile

MANY = 200_000
LEAST_P = 1e-4  # of a test that the numbers, always the same, have to pass
STREAMS = {
    "counters": lambda k: uniform(0, k),
    "seeds": lambda k: uniform(k, 0),
    "steps of rows": lambda k: uniform(3, k // 400, k % 400),
    "times": lambda k: uniform(1, 0.001 * k),
    "large counters": lambda k: uniform(1, 2.0**52 + k),
    "arrays": lambda k: uniform(5, np.arange(len(k) // 8), shape=(2, 4)).reshape(-1),
}


@pytest.fixture(scope="module", params=STREAMS)
def stream(request):
    return STREAMS[request.param](np.arange(MANY, dtype=float))


def test_counters_are_folded_one_by_one():
    assert uniform(4, 1, 2, 3) == ops.random(ops.random(ops.random(4.0, 1.0), 2.0), 3.0)
    assert same(uniform(4, 1, shape=(2, 3)).reshape(-1), uniform(4, 1, np.arange(6.0)))
    assert same(uniform([[1], [2]], [5, 6], shape=2)[1, 0], uniform(2, 5, shape=2))


def test_uniform_in_every_part_of_the_interval(stream):
    counts = np.histogram(stream, 256, (0.0, 1.0))[0]
    assert scipy.stats.chisquare(counts).pvalue > LEAST_P
    assert scipy.stats.kstest(stream, "uniform").pvalue > LEAST_P


def test_every_bit_is_set_half_of_the_time(stream):
    m = (stream * 2.0**52).astype(np.uint64)
    ones = np.array([(m >> np.uint64(k) & np.uint64(1)).sum() for k in range(52)])
    assert np.abs(ones - MANY / 2).max() < 5.0 * np.sqrt(MANY) / 2


@pytest.mark.parametrize("lag", [1, 2, 7, 64, 400])
def test_neighbours_are_independent(stream, lag):
    x, y = stream[:-lag], stream[lag:]
    assert abs(np.corrcoef(x, y)[0, 1]) < 4.0 / np.sqrt(len(x))
    pairs = np.histogram2d(x, y, 16, [[0, 1], [0, 1]])[0]
    assert scipy.stats.chisquare(pairs.reshape(-1)).pvalue > LEAST_P


def test_neighbouring_seeds_are_independent():
    k = np.arange(20_000.0)
    rows = uniform(np.arange(8.0)[:, None], k)
    correlations = np.corrcoef(rows) - np.eye(8)
    assert np.abs(correlations).max() < 4.0 / np.sqrt(len(k))


def test_no_two_are_equal(stream):
    assert len(np.unique(stream)) == len(stream)


def test_normal_numbers_are_normal():
    x = normal(11, np.arange(MANY))
    assert scipy.stats.kstest(x, "norm").pvalue > LEAST_P
    for power, expected in enumerate((0.0, 1.0, 0.0, 3.0, 0.0, 15.0), 1):
        spread = np.std(x**power)
        assert abs(np.mean(x**power) - expected) < 4.0 * spread / np.sqrt(MANY)
    for sigma in (2.0, 3.0, 4.0):
        expected = 2.0 * scipy.stats.norm.sf(sigma) * MANY
        assert abs((np.abs(x) > sigma).sum() - expected) < 4.0 * np.sqrt(expected)


def test_quantiles_to_the_ends():
    u = np.concatenate(
        [np.linspace(0.0005, 0.9995, 1999), 2.0 ** -np.arange(2.0, 54.0), 0.5 + 2.0 ** -np.arange(2.0, 30.0)]
    )
    x = scipy.special.ndtri(u)
    assert (np.abs(quantile(u) - x) <= 3e-10 * np.abs(x)).all()
    assert (quantile(1.0 - u[-40:]) == -quantile(u[-40:])).all() and quantile(np.array([0.5])) == 0.0
    assert (np.diff(quantile(np.linspace(1e-5, 1.0 - 1e-5, 5001))) > 0.0).all()


def traced(seed, row):
    def step(total, k):
        x = normal(seed, row, k, shape=2)
        return total + x, {"record": {"drawn": uniform(seed, row, k, shape=3), "normal": x}}

    total, kept = ch.loop(step, np.zeros(2), each={"k": np.arange(5.0)}, count=5)
    return {"total": total, **kept["record"]}


@pytest.fixture(scope="module")
def kernel():
    return ch.compile(traced, seed=(), row=())


def test_a_kernel_draws_what_numpy_draws(kernel):
    rows = np.arange(37.0)
    _, drawn, spread = kernel(9.0, rows)
    assert same(drawn, uniform(9.0, rows[:, None], np.arange(5.0), shape=3))
    assert same(spread, normal(9.0, rows[:, None], np.arange(5.0), shape=2))
    interpreted = interpret(kernel.program, [[9.0], [rows[3]]])
    assert same(np.array(interpreted[1]).reshape(5, 3), drawn[3])
    assert same(np.array(interpreted[2]).reshape(5, 2), spread[3])


def test_the_same_bits_in_any_batch_and_for_any_threads(kernel):
    rows, threads = np.arange(4000.0), ch.get_num_threads()
    expected = kernel(9.0, rows)
    try:
        for count in (1, 2, 3):
            ch.set_num_threads(count)
            assert same(tuple(kernel(9.0, rows)), tuple(expected))
    finally:
        ch.set_num_threads(threads)
    assert same(tuple(kernel(9.0, rows[::-3])), tuple(x[::-3] for x in expected))
    assert same(tuple(kernel(9.0, rows[17])), tuple(x[17] for x in expected))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", [X86_64, X86_64_V3], ids=["sse2", "avx2"])
def test_the_same_bits_in_vectors_of_any_width(target, dtype):
    if not host().is_x86:
        pytest.skip("made for x86-64")
    x = np.stack(np.meshgrid(np.arange(9.0), np.arange(5.0)), axis=-1).astype(dtype)
    for of in (ops.random, ops.normal):
        drawn = ch.compile(lambda x, of=of: of(x[0], x[1]), dtype=dtype, x=2)
        assert same(build(drawn.program, target, dtype)(x), drawn(x))
        assert same(drawn(x), of(x[..., 0], x[..., 1])) and drawn(x).dtype == dtype


def test_derivatives_pass_by_what_is_drawn():
    def cost(x, seed):
        return x * x * normal(seed, 4) + uniform(x, seed)

    gradient = ch.compile(cost, x=(), seed=()).gradient
    assert close(gradient("x")(3.0, 2.0), 6.0 * normal(2.0, 4.0), 1e-12)
    assert gradient("seed")(3.0, 2.0) == 0.0


def test_derivatives_through_a_loop_with_noise():
    """x <- 0.9 x + p e_k from 0: dx/dp is what p = 1 gives."""

    def end(p, seed):
        return ch.loop(lambda x, k: 0.9 * x + p * normal(seed, k), 0.0, each={"k": np.arange(20.0)}, count=20)

    kernel, seeds = ch.compile(end, p=(), seed=()), np.arange(5.0)
    expected = normal(seeds[:, None], np.arange(20.0)) @ 0.9 ** np.arange(19.0, -1.0, -1.0)
    assert close(kernel.gradient("p")(2.0, seeds), expected, 1e-12)
    assert close(kernel.jacobian("p")(2.0, seeds), expected, 1e-12)
    assert not kernel.gradient("seed")(2.0, seeds).any()


def test_a_key_is_drawn_once(kernel):
    """A vector is drawn from one key; that of the row, before the loop over steps."""
    vector = ch.compile(lambda seed, row: uniform(seed, row, shape=7), seed=(), row=()).program
    assert vector.operations.by_kind["random"] == 8
    (loop,) = kernel.program.loops
    assert kernel.program.operations.by_kind["random"] == 1  # u(seed, row)
    assert loop.step.operations.by_kind["random"] == 1 + 3 and loop.step.operations.by_kind["normal"] == 2


def test_what_is_refused():
    with pytest.raises(ch.ModelError, match="shape must be positive integers"):
        normal(0, 1, shape=(2, 0))
    with pytest.raises(ch.ShapeError, match="counter 2"):
        uniform(0, 1, "two")
