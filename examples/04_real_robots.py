"""Robots from files: a URDF with a gripper that mimics, on a fixed and on a floating base, and back to other tools."""

import sys

import numpy as np

import chasles as ch

GRIPPER = """
<robot name="gripper">
  <link name="palm"><inertial><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left"><inertial><origin xyz="0 0 0.02"/><mass value="0.05"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 0 0.02"/><mass value="0.05"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left_tip"/>
  <joint name="slide_left" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.1"/><dynamics damping="2.0"/></joint>
  <joint name="slide_right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.1"/><mimic joint="slide_left"/></joint>
  <joint name="tip" type="fixed"><parent link="left"/><child link="left_tip"/><origin xyz="0 0 0.05"/></joint>
</robot>
"""


def main() -> None:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        file = Path(folder) / "gripper.urdf"
        file.write_text(GRIPPER)
        gripper = ch.load(file)
        print(gripper, "follows:", gripper.mimic_names)
        print("left tip when open:", gripper.forward_kinematics([0.04], frame="left_tip")[:3, 3])
        print("both fingers' mass moves:", gripper.mass_matrix([0.0])[0, 0], "kg")
        print("force at 0.1 m/s:", gripper.with_friction().bias_forces([0.02], [0.1]), "N")

        # On a floating base: q = (position, quaternion, joints), v = (angular, linear, joints).
        loose = gripper.with_base("free")
        q, v = loose.random(np.random.default_rng(0)), np.ones(loose.n)
        moved = loose.integrate(q, 0.01 * v)
        print(
            "coordinates",
            loose.nq,
            "velocities",
            loose.nv,
            "back again:",
            np.allclose(loose.difference(q, moved), 0.01 * v),
        )
        print("let go, it falls at", loose.forward_dynamics(loose.neutral(), 0 * v, 0 * v)[3:6].round(6))

        # A mistake in the file is named by file and line.
        file.write_text(GRIPPER.replace('value="0.5"', 'value="-0.5"'))
        try:
            ch.load(file)
        except ch.ModelError as error:
            print("ModelError:", str(error).replace(folder, ""))
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(gripper.plot([0.04], view="yz", ghosts=[[0.0]], frames="left_tip"), sys.argv[1])


main()
