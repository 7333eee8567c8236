"""Mangled MJCF: it loads to numbers that are finite or is refused by name, and MuJoCo never ends the process.

`outcome` runs in a process of its own, which says what it made: were it to die, the example is what it died of.
"""

import re
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import pytest
from hypothesis import given
from support.mangling import fuzz, mangled
from support.mjcf_hostile import SAMPLE, outcome

RICH = """\
<mujoco model="rich">
  <compiler angle="radian" autolimits="true" balanceinertia="true" boundmass="0.001"/>
  <option timestep="0.002" integrator="RK4"><flag gravity="enable"/></option>
  <default><geom density="500" contype="1"/><default class="c"><joint damping="1" armature="0.1"/></default></default>
  <asset>
    <mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="0.1 0.1 0.1"/>
    <material name="p" rgba="1 0 0 1"/>
    <hfield name="h" nrow="3" ncol="3" size="1 1 1 0.1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/><camera name="eye" pos="0 0 1"/>
    <site name="root"/><geom type="plane" size="1 1 0.1" material="p"/>
    <geom type="hfield" hfield="h"/>
    <body name="torso" pos="0 0 1" euler="0.1 0.2 0.3" childclass="c">
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.05"/>
      <body name="arm" pos="0.1 0 0" axisangle="0 0 1 0.5">
        <joint name="ball" type="ball" pos="0.1 0.2 0.3" range="0 1"/>
        <geom type="mesh" mesh="m"/>
        <site name="grip" pos="0.1 0 0" zaxis="0 1 1"/>
        <frame pos="0 0 0.5" quat="0.5 0.5 0.5 0.5"><body name="hand">
          <joint name="s1" axis="0 1 1" ref="0.3" springref="0.1" stiffness="2"/>
          <joint name="s2" type="slide" axis="1 0 0" range="-1 1" frictionloss="0.1" actuatorfrcrange="-5 5"/>
          <geom type="ellipsoid" size="0.1 0.2 0.3"/>
          <replicate count="3" offset="0.1 0 0" euler="0 0 0.3"><geom size="0.02"/></replicate>
        </body></frame>
      </body>
    </body>
    <body name="post" pos="1 0 0"><geom type="cylinder" size="0.1 0.5"/>
      <body name="leaf"><joint name="hinge" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" fullinertia="3 2 2 0.1 0 0"/></body>
    </body>
  </worldbody>
  <contact><exclude body1="arm" body2="hand"/></contact>
  <equality><connect body1="hand" body2="leaf" anchor="0 0 0"/><joint joint1="s1" joint2="s2"/></equality>
  <tendon><spatial name="t"><site site="grip"/><site site="root"/></spatial>
    <fixed name="f"><joint joint="s1" coef="2"/></fixed></tendon>
  <actuator><motor joint="s1" gear="3"/><position joint="hinge" kp="10"/></actuator>
  <sensor><jointpos joint="s1"/><accelerometer site="grip"/></sensor>
  <keyframe><key name="k" time="1" qpos="0 0 1 1 0 0 0 1 0 0 0 0 0 0"/></keyframe>
</mujoco>
"""
PIECES = [
    *("<", ">", "/>", '"', "'", "&", "&#0;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "<!DOCTYPE r [", "\0", "\ufeff"),
    *("<body>", "</body>", "<body name='a'>", "<joint/>", "<freejoint/>", "<geom size='.1'/>", "<frame>", "</frame>"),
    *("<include file='x.xml'/>", "<replicate count='9'>", "<site/>", "mocap='true'", "gravcomp='1'", "limited='true'"),
    *("free", "ball", "slide", "hinge", "plane", "hfield", "mesh", "box", "sdf", "cylinder", "auto", "true", "false"),
    *("joint", "geom", "body", "site", "inertial", "mass", "size", "pos", "quat", "axis", "name", "class", "default"),
    *("worldbody", "mujoco", "option", "compiler", "asset", "a", "b", "j", "torso", "arm", "world", "main", " ", "\n"),
]


@pytest.fixture(scope="module")
def apart():
    """`outcome` elsewhere; the process is replaced if MuJoCo ends it."""

    def new():
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=500)

    pools = [new()]

    def run(data):
        try:
            return pools[-1].submit(outcome, data).result(60.0)
        except BrokenProcessPool:
            pools[-1].shutdown(wait=False)
            pools.append(new())
            raise

    yield run
    pools[-1].shutdown()


def behaves(apart, data):
    key, said = apart(data)
    assert key or re.match(r"x\.xml(:\d+)?: .", said), said
    assert len(said) < 1000
    return key


def test_what_is_mangled_is_right(apart):
    assert behaves(apart, RICH) and behaves(apart, SAMPLE)


@fuzz(150)
@given(data=mangled([SAMPLE, RICH], PIECES))
def test_mangled(apart, data):
    behaves(apart, data)


@pytest.mark.slow
@fuzz(10_000)
@given(data=mangled([SAMPLE, RICH], PIECES))
def test_mangled_for_long(apart, data):
    behaves(apart, data)
