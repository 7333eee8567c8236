"""Python's collector is off while a program is made, and as it was behind that."""

import gc
import os
import sys
import threading
import weakref

import pytest

from chasles.graph.derive import gradient_program, hessian_program, jacobian_program
from chasles.graph.garbage import not_collected
from chasles.graph.node import Graph
from chasles.graph.program import Operand
from chasles.graph.trace import trace


@pytest.mark.parametrize("on", [True, False])
def test_it_is_as_it_was(on):
    was = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        with pytest.raises(KeyError), not_collected(), not_collected():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == on
    finally:
        (gc.enable if was else gc.disable)()


def test_several_at_once():
    """The last one puts it on again."""
    inside, end = threading.Event(), threading.Event()

    def make() -> None:
        with not_collected():
            inside.set()
            end.wait(10.0)

    other = threading.Thread(target=make)
    with not_collected():
        other.start()
        assert inside.wait(10.0)
    assert not gc.isenabled()
    end.set()
    other.join()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason=f"{sys.platform} has no fork")
def test_a_forked_process_collects():
    """Whatever other threads were making."""
    with not_collected():
        child = os.fork()
        if not child:
            os._exit(0 if gc.isenabled() else 1)
        assert os.waitpid(child, 0)[1] == 0 and not gc.isenabled()
    assert gc.isenabled()


def test_nothing_counts_as_old_for_it():
    """What is young is looked at soon: cycles of others do not gather."""
    gc.collect()
    with not_collected():
        cycle: list[object] = []
        cycle.append(cycle)
    assert any(x is cycle for x in gc.get_objects(generation=0))


def product(*_):
    return trace([Operand("x", (2,))], lambda x: [(Operand("y", ()), [x[0] * x[0] * x[1]])])


@pytest.mark.parametrize("make", [product, jacobian_program, gradient_program, hessian_program])
def test_nodes_end_with_their_trace(monkeypatch, make):
    """A graph and its nodes hold each other while they are made, and not behind that: no cycle is left."""
    program, made, plain = product(), [], Graph.make

    def watched(*args):
        node = plain(*args)
        made.append(weakref.ref(node))
        return node

    monkeypatch.setattr(Graph, "make", watched)
    with not_collected():
        assert make(program, "x").nodes
        assert made and not any(node() for node in made)
