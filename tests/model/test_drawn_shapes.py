"""Generated shapes: they lie on joints, links and tools, follow the size of the robot, and are there for all."""

import numpy as np
import pytest
from support.tolerances import close, small

import chasles as ch
from chasles.model import drawn_shapes

ZOO = ("panda", "ur5", "scara", "stanford", "planar_2r", "pendulum", "iiwa14")


def chain(count, scale=1.0, shift=(0.0, 0.0, 0.0), **more):
    """Joints about x, y, z, x, ... that are 0.3 apart, from 0.2 up; the centres of mass between them."""
    homes = np.stack([np.eye(4)] * count)
    homes[:, 2, 3] = 0.2 + 0.3 * np.arange(count)
    homes[:, :3, 3] = scale * homes[:, :3, 3] + shift
    turns = np.eye(3)[np.arange(count) % 3]
    screws = np.hstack([turns, -np.cross(turns, homes[:, :3, 3])])
    links = [ch.Link(1.0, [0.0, 0.0, 0.15 * scale], 0.01 * scale**2 * np.eye(3))] * count
    return ch.Robot.from_screws(screws, homes, links, **more).mechanism


def placed(m):
    """(kind, size, pose at home, look) of all parts, the base's first."""
    moving, base = drawn_shapes.parts(m)
    rows = [(np.eye(4), part) for part in base]
    rows += [(m.homes[i], part) for i, own in enumerate(moving) for part in own]
    return [(part.kind, part.size, T @ part.pose, part.look) for T, part in rows]


@pytest.mark.parametrize("name", ZOO)
def test_shapes_are_turned_and_not_mirrored(name):
    for kind, _, T, _ in placed(ch.load(name).mechanism):
        assert small(T[:3, :3].T @ T[:3, :3] - np.eye(3), 1e-12) and np.linalg.det(T[:3, :3]) > 0.0, kind


@pytest.mark.parametrize("name", ZOO)
def test_every_joint_has_a_shape_on_its_axis(name):
    m = ch.load(name).mechanism
    moving, _ = drawn_shapes.parts(m)
    for i, own in enumerate(moving):
        joint = next(part for part in own if part.look == drawn_shapes.JOINT)
        T = m.homes[i] @ joint.pose
        w, v = m.screws[i][:3], m.screws[i][3:]
        axis = w if np.any(w) else v
        assert joint.kind == ("cylinder" if np.any(w) else "box")
        assert small(np.cross(T[:3, 2], axis), 1e-12)
        if np.any(w):
            pitch = (w @ v) / (w @ w)
            assert small(v + np.cross(w, T[:3, 3]) - pitch * w, 1e-9), "not on the axis"


@pytest.mark.parametrize("name", ZOO)
def test_the_shapes_of_a_robot_hang_together(name):
    """The ends of capsules are joints, tools, ends or the base; all sizes are positive, all poses rigid."""
    m = ch.load(name).mechanism
    for kind, size, T, _ in placed(m):
        assert kind in ("capsule", "cylinder", "box", "sphere") and min(size) > 0.0
        assert close(T[:3, :3] @ T[:3, :3].T, np.eye(3), 1e-12, scale=1.0) and np.linalg.det(T[:3, :3]) > 0.0
    tool = m.homes[m.tool.body] @ m.tool.pose
    assert any(
        look == drawn_shapes.TOOL and close(T[:3, 3], tool[:3, 3], 1e-12, scale=1.0) for *_, T, look in placed(m)
    )


def test_shapes_grow_with_the_robot_and_stay_with_it():
    one, small = placed(chain(5)), placed(chain(5, 1e-4))
    away = placed(chain(5, shift=(100.0, 50.0, 30.0)))
    assert len(one) == len(small)
    for (kind, size, T, _), (other, less, U, _) in zip(one, small, strict=True):
        assert kind == other and close(np.array(less), 1e-4 * np.array(size), 1e-9, scale=1e-4)
        assert close(U[:3, 3], 1e-4 * T[:3, 3], 1e-9, scale=1e-4)
    assert all(np.linalg.norm(T[:3, 3] - [100.0, 50.0, 30.0]) < 2.0 for *_, T, _ in away), "something is left behind"
    assert drawn_shapes.size(chain(5, shift=(100.0, 50.0, 30.0))) < 2.0


def test_radii_fit_between_joints_that_are_close():
    m = chain(50)
    widest = max(size[0] for kind, size, _, look in placed(m) if look == drawn_shapes.JOINT)
    assert widest < 0.15 and drawn_shapes.size(m) > 14.0


def test_a_link_that_carries_nothing_ends_at_its_farthest_frame_or_beyond_its_centre_of_mass():
    end = np.eye(4)
    end[:3, 3] = [0.1, 0.0, 1.2]
    tip = chain(2, tool=end)
    assert close(drawn_shapes.end_points(tip, 1, np.zeros(3))[0], end[:3, 3] - [0.0, 0.0, 0.5], 1e-12, scale=1.0)
    plain = chain(2, parents=[-1, -1])
    assert close(drawn_shapes.end_points(plain, 1, np.zeros(3))[0], [0.0, 0.0, 0.3], 1e-12, scale=1.0)
    framed = chain(2, parents=[-1, -1], frames={"foot": (1, end)})
    assert close(drawn_shapes.end_points(framed, 1, np.zeros(3))[0], end[:3, 3] - [0.0, 0.0, 0.5], 1e-12, scale=1.0)
    assert drawn_shapes.end_points(chain(3), 1, np.zeros(3)) == []


def test_a_slider_has_a_rail_as_long_as_its_limits():
    m = ch.load("scara").mechanism
    i = m.joint_names.index("quill")
    low, high = m.limits["lower"][i], m.limits["upper"][i]
    rails = [part for part in drawn_shapes.parts(m)[0][m.parents[i]] if part.kind == "capsule"]
    assert min(abs(part.size[1] - (high - low)) for part in rails) < 1e-9


def test_a_link_that_carries_four_joints_is_a_box_around_them():
    homes = np.stack([np.eye(4)] * 5)
    homes[1:, :2, 3] = [[0.3, 0.2], [0.3, -0.2], [-0.3, 0.2], [-0.3, -0.2]]
    screws = np.zeros((5, 6))
    screws[1:, 1] = 1.0
    screws[1:, 3:] = -np.cross(screws[1:, :3], homes[1:, :3, 3])
    links = [ch.Link(1.0, [0.0, 0.0, -0.1], 0.01 * np.eye(3))] * 5
    kinds = ["free", *["screw"] * 4]
    m = ch.Robot.from_screws(screws, homes, links, [-1, 0, 0, 0, 0], kinds=kinds).mechanism
    moving, base = drawn_shapes.parts(m)
    (trunk,) = moving[0]
    assert trunk.kind == "box" and close(np.array(trunk.size[:2]), [0.6, 0.4], 1e-12, scale=1.0) and not base
