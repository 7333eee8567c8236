"""Doubts that no reader can find again are kept in a .toml file."""

import pytest

import chasles as ch

MODEL = """<mujoco><worldbody>
<body name="a"><joint name="j"/><geom size=".1"/><body name="b" pos="0 0 1"><joint name="k"/><geom size=".1"/>
</body></body></worldbody><equality><joint joint1="j" joint2="k"/></equality></mujoco>"""


def test_equalities_stay_doubted() -> None:
    with pytest.warns(ch.ModelWarning, match="equality"):
        robot = ch.load_text(MODEL, "mjcf")
    kept = [doubt for doubt in robot.doubts if not doubt.startswith("link ")]
    assert any("equality" in doubt for doubt in kept)
    with pytest.warns(ch.ModelWarning, match="equality"):
        again = ch.load_text(robot.to_toml(), "toml")
    assert sorted(again.doubts) == sorted(robot.doubts)
    assert again == robot


def test_doubts_are_strings() -> None:
    text = ch.load("pendulum").to_toml().replace("gravity", "doubts = [3]\ngravity", 1)
    with pytest.raises(ch.ModelError, match="doubts must be a list of strings"):
        ch.load_text(text, "toml")
