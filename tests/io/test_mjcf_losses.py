"""Losses of MJCF files, what a mechanism has not, are said: contacts and actuators as MuJoCo would act on them."""

import json
import warnings

import mujoco
import pytest
from typer.testing import CliRunner

from chasles.cli.app import app
from chasles.errors import ModelWarning
from chasles.io.mjcf import parse
from chasles.io.mjcf_losses import colliding_pairs

BODY = "<body name='{0}'><joint name='{0}' type='slide'/><geom {1} size='0.1'/>{2}</body>"


def robot(inside, outside="", worldly="<geom size='0.1'/>"):
    return f"<mujoco>{outside}<worldbody>{worldly}{inside}</worldbody></mujoco>"


def chained(*attributes):
    text = ""
    for k in reversed(range(len(attributes))):
        text = BODY.format("abcdefgh"[k], attributes[k], text)
    return text


SIDE = BODY.format("x", "", "") + BODY.format("y", "", "") + BODY.format("z", "", "")
MODELS = {  # all geoms are in one place, so that all that may collide do
    "a chain": robot(chained("", "", "")),
    "side by side": robot(SIDE),
    "no ground": robot(SIDE, worldly=""),
    "masked": robot(chained("contype='2'", "conaffinity='2'", "contype='4' conaffinity='4'", "contype='0'")),
    "one way": robot(chained("contype='1' conaffinity='0'", "", "contype='0' conaffinity='1'")),
    "no one": robot(chained("contype='0' conaffinity='0'", "contype='0' conaffinity='0'")),
    "welded": robot(SIDE + "<body><geom size='0.1'/><body><geom size='0.1'/></body></body>"),
    "welded on": robot(chained("", "").replace("<geom ", "<body><geom size='0.1'/></body><geom ")),
    "excluded": robot(SIDE, "<contact><exclude body1='z' body2='x'/></contact>"),
    "the world excluded": robot(SIDE, "<contact><exclude body1='world' body2='x'/></contact>"),
    "families too": robot(chained("", "", ""), "<option><flag filterparent='disable'/></option>"),
    "no contacts": robot(SIDE, "<option><flag contact='disable'/></option>"),
    "no constraints": robot(SIDE, "<option><flag constraint='disable'/></option>"),
    "several on a body": robot(SIDE.replace("<geom ", "<geom size='0.1'/><geom contype='3' size='0.1'/><geom ")),
    "of a pair": robot(
        chained("name='g' contype='0' conaffinity='0'", "name='h' contype='0' conaffinity='0'"),
        "<contact><pair geom1='g' geom2='h'/></contact>",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_pairs_are_those_that_mujoco_finds(name):
    model = mujoco.MjModel.from_xml_string(MODELS[name])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = {tuple(sorted(map(int, data.contact.geom[k]))) for k in range(data.ncon)}
    assert colliding_pairs(mujoco, model) == len(found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        doubts = parse(MODELS[name]).doubts
    text = f"contacts are not carried: {len(found)} pair{'s' * (len(found) > 1)} of geoms can collide in MuJoCo"
    assert doubts == ((text,) if found else ())


def test_many_geoms_are_counted_at_once():
    sites = "".join(BODY.format(f"b{k}", "", "") for k in range(1000))
    assert colliding_pairs(mujoco, mujoco.MjModel.from_xml_string(robot(sites))) == 1001 * 1000 // 2


PLAIN = ("<motor {}/>", "<general {}/>", "<motor {} gear='1' ctrlrange='-1 1'/>", "<motor {} forcerange='-9 9'/>")
GEARED = (
    *("<motor {} gear='50'/>", "<motor {} gear='-1'/>", "<position {} kp='9'/>", "<velocity {} kv='9'/>"),
    *(
        "<general {} gainprm='3'/>",
        "<general {} biastype='affine' biasprm='0 -1 0'/>",
        "<damper {} kv='1' ctrlrange='0 1'/>",
    ),
    *("<general {} dyntype='filter' dynprm='1'/>", "<intvelocity {} kp='1' actrange='-1 1'/>"),
)


@pytest.mark.parametrize("text", PLAIN + GEARED)
def test_actuators(text):
    actuator = text.format("name='drive' joint='a'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        m = parse(robot(chained("contype='0' conaffinity='0'"), f"<actuator>{actuator}</actuator>"))
    said = [words for words in (*m.doubts, *m.notes) if words.startswith("actuator 'drive'")]
    assert len(said) == 1 and bool(m.doubts) == (text in GEARED)
    assert ("gear, gain, bias and dynamics" if text in GEARED else "plain motors") in said[0]


def test_actuators_of_other_things():
    for outside in (
        "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon><actuator><motor tendon='t'/></actuator>",
        "<actuator><adhesion body='a' ctrlrange='0 1'/></actuator>",
    ):
        with pytest.warns(ModelWarning) as caught:
            parse(robot(chained("contype='0' conaffinity='0'"), outside))
        assert any("actuator 'actuator0': gear, gain, bias" in str(warning.message) for warning in caught)


def test_all_is_said_once_and_shown(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(
        robot(
            SIDE,
            "<equality><joint name='tie' joint1='x' joint2='y'/><weld body1='z' body2='world'/></equality>"
            "<actuator><motor name='plain' joint='x'/><position name='servo' joint='y'/></actuator>"
            "<sensor><jointpos joint='x'/></sensor><keyframe><key qpos='0 1 2'/></keyframe>",
            "<geom size='0.1'/><camera/>",
        )
    )
    shown = CliRunner().invoke(app, ["info", str(file)])
    assert shown.exit_code == 0 and shown.stderr == ""
    words = " ".join(shown.stdout.split())
    for text in (
        *("equality 'tie' (joint), which says x = 1 y + 0 is not carried", "equality 1 (weld) is not carried"),
        *("contacts are not carried: 6 pairs of geoms", "actuator 'servo': gear", "actuator 'plain': plain motors"),
        *("1 sensors are not carried", "1 keyframes are not carried", "1 cameras are not carried"),
    ):
        assert words.count(text) == 1, text
    known = json.loads(CliRunner().invoke(app, ["info", str(file), "--json"]).stdout)
    assert len(known["doubts"]) == 4 and any(doubt.startswith("contacts") for doubt in known["doubts"])
