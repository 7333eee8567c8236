"""The connection and the derivatives of the mass matrix: brackets, three cases, link by link, dual numbers."""

import numpy as np
import pytest
from support.fields import along_columns, configuration, without_rotors
from support.leaves import array, gradient
from support.random_trees import by_chunks, random_kinds, random_mechanism
from support.sweeps import sweep
from support.tolerances import FLOAT64, close

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.coriolis import coriolis_matrix
from chasles.formulations import three_cases
from chasles.formulations.adjoint_derivatives import carried, carried_derivative, carried_second_derivative
from chasles.geometry.connection import christoffel_symbols, mass_matrix_derivatives
from chasles.geometry.second_order import mass_matrix_second_derivatives
from chasles.lie import Twist, Vec3
from chasles.riemann import by_links
from chasles.riemann.by_links import constants

SEEDS = sweep(range(16), [3, 6, 11])


@pytest.mark.parametrize("seed", sweep(range(6), 2))
def test_derivatives_of_the_adjoint_maps(seed: int) -> None:
    """[DER-1, DER-2], every pair of links and joints."""
    tree = random_mechanism(seed, 5).tree
    n, q, rng = tree.n, configuration(tree, seed), np.random.default_rng(seed)
    B = Twist(Vec3(*rng.normal(size=3)), Vec3(*rng.normal(size=3)))
    for j in range(n):
        for i in [-1, *tree.path(j)]:
            first = gradient(lambda x, j=j, i=i: carried(tree, x, j, i, B), q)
            found = np.stack([array(carried_derivative(tree, q, j, i, B, k)) for k in range(n)], axis=-1)
            assert close(found, first, FLOAT64, 1.0)
            for k in range(n):
                second = gradient(lambda x, j=j, i=i, k=k: carried_derivative(tree, x, j, i, B, k), q)
                rows = [array(carried_second_derivative(tree, q, j, i, B, k, l)) for l in range(n)]
                assert close(np.stack(rows, axis=-1), second, FLOAT64, 1.0)


@by_chunks([range(20), range(20, 22), range(22, 40)], range(20, 22))
def test_bracket_form_three_cases_and_definition(seeds: range) -> None:
    """[CHR-1..4, DER-3, DER-4] on trees of screws."""
    for seed in seeds:
        tree = random_mechanism(seed).tree
        q, r = configuration(tree, seed), range(tree.n)
        G = np.array(christoffel_symbols(tree, q))
        dM = gradient(lambda x, tree=tree: mass_matrix(tree, x), q)
        size = max(float(np.abs(dM).max()), 1.0)
        definition = (dM + dM.swapaxes(1, 2) - dM.transpose(2, 0, 1)) / 2  # dM_ij/dk + dM_ik/dj - dM_jk/di
        assert close(G, definition, FLOAT64, size)
        assert close(G, three_cases.tree_symbols(tree, q), FLOAT64, size)
        assert close(G, by_links.christoffel_symbols(tree, np.array(q)), FLOAT64, size)
        assert close(G, G.swapaxes(1, 2), 0.0)  # the fields of screws commute
        assert close(mass_matrix_derivatives(tree, q), dM, FLOAT64, size)
        # [CHR-4]: [ParkBobrowPloen1995] writes (dm_kj/di + dm_ki/dj - dm_ij/dk) / 2 with the equation k last
        last = np.array([[[0.5 * (dM[k, j, i] + dM[k, i, j] - dM[i, j, k]) for k in r] for j in r] for i in r])
        assert close(np.moveaxis(G, 0, -1), last, FLOAT64, size)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [random_mechanism, random_kinds])
def test_coriolis_from_the_connection(make, seed: int) -> None:
    """[COR-1, COR-2, CUR-6]: C_ij = sum of G_ijk v_k, torsion, and Mdot - 2C skew, on all kinds of joints."""
    m = make(seed)
    tree = without_rotors(m)
    q, v = configuration(tree, seed), np.random.default_rng(seed).normal(size=tree.n)
    G = np.array(christoffel_symbols(tree, q))
    M, dM = np.array(mass_matrix(tree, q)), np.array(mass_matrix_derivatives(tree, q))
    size = float(np.abs(G).max()) + 1.0
    assert close(G @ v, coriolis_matrix(tree, q, v.tolist()), FLOAT64, size)
    assert close(dM, along_columns(tree, lambda x: mass_matrix(tree, x), q), FLOAT64, size)
    assert close(G + G.swapaxes(0, 1), dM, FLOAT64, size)  # metric
    torsion = np.einsum("kjm,im->ijk", constants(m.tree, m.coupling), M)
    assert close(G - G.swapaxes(1, 2), torsion, FLOAT64, size)  # <e_i, [e_k, e_j]>
    skew = dM @ v - 2.0 * G @ v
    assert close(skew, -skew.T, FLOAT64, size)
    assert close(G, by_links.christoffel_symbols(tree, np.array(q)), FLOAT64, size)
    assert close(dM, by_links.mass_matrix_derivatives(tree, np.array(q)), FLOAT64, size)


@pytest.mark.parametrize("seed", sweep(range(10), [3, 6]))
@pytest.mark.parametrize("make", [random_mechanism, random_kinds])
def test_second_derivatives_of_the_mass_matrix(make, seed: int) -> None:
    """[DER-5]"""
    tree = make(seed).tree
    q = configuration(tree, seed)
    second = along_columns(tree, lambda x: mass_matrix_derivatives(tree, x), q)
    size = float(np.abs(second).max()) + 1.0
    assert close(mass_matrix_second_derivatives(tree, q), second, FLOAT64, size)
    assert close(by_links.mass_matrix_second_derivatives(tree, np.array(q)), second, FLOAT64, size)


def test_general_two_link_chain() -> None:
    """[COR-3]: M and C of two screws in closed form."""
    for seed in range(10):
        tree = random_mechanism(seed, 2).tree
        if tree.n < 2 or tree.bodies[1].parent != 0:
            continue
        q, v = configuration(tree, seed), np.random.default_rng(seed).normal(size=2)
        S1, S2 = tree.bodies[0].S, tree.bodies[1].S
        carried = tree.bodies[1].motion(q).Ad_inv(S1)
        turned = carried.ad(S2)  # [A1, A2] seen from link 2
        a = (tree.bodies[1].G @ turned).pair(carried)
        b = (tree.bodies[1].G @ turned).pair(S2)
        C = [[a * v[1], a * v[0] + b * v[1]], [-a * v[0], 0.0]]
        assert close(coriolis_matrix(tree, q, v.tolist()), C, FLOAT64, 1.0)
        assert close(np.array(christoffel_symbols(tree, q)) @ v, C, FLOAT64, 1.0)
