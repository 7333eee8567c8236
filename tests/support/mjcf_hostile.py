"""Malformed and strange MJCF files, made by code.

REFUSED: {name: (data, line or None, pattern)}, each to raise a ModelError that begins with FILE:LINE: and has the
pattern. ALIKE: {name: data}, each to load as SAMPLE does. FOLDERS: {name: ({file: data}, pattern)}, of which main.xml
is to be refused. data: text, bytes, or a function that makes them. A robot of each is made in a process of its own.
"""

import codecs
import warnings

import numpy as np

from chasles.errors import ModelError, ModelWarning
from chasles.io import mjcf

SAMPLE = """\
<?xml version="1.0"?>
<mujoco model="r">
  <option gravity="0 0 -9.81"/>
  <default><joint damping="0.1"/></default>
  <worldbody>
    <body name="a" pos="0 0 1" quat="1 0 0 0">
      <joint name="j" axis="0 0 1" pos="0.1 0 0" range="-90 90" armature="0.5"/>
      <geom type="box" size="0.1 0.2 0.3" mass="2"/>
      <site name="s" pos="0 0 0.5"/>
      <body name="b" pos="0 0 1">
        <joint name="k" type="slide" axis="1 0 0" ref="0.2"/>
        <inertial pos="0.1 0 0" mass="3" diaginertia="1 1 1"/>
      </body>
    </body>
  </worldbody>
  <equality><joint name="e" joint1="k" joint2="j" polycoef="0 2 0 0 0" active="false"/></equality>
  <actuator><motor name="m" joint="j" gear="50"/></actuator>
</mujoco>
"""


def edit(old, new):
    """The sample with its first `old` replaced, and the line that it stands on."""
    at = SAMPLE.index(old)
    return SAMPLE[:at] + new + SAMPLE[at + len(old) :], SAMPLE.count("\n", 0, at) + 1


REFUSED = {}


def refuse(name, old, new, pattern, line=0):
    assert name not in REFUSED
    text, at = edit(old, new)
    REFUSED[name] = text, line or at, pattern


# Numbers

_SITES = {
    "gravity": ('gravity="0 0 -9.81"', 'gravity="{} 0 0"', "gravity"),
    "damping": ('damping="0.1"', 'damping="{}"', "joint"),
    "body pos": ('pos="0 0 1"', 'pos="0 {} 1"', "body"),
    "quat": ('quat="1 0 0 0"', 'quat="1 {} 0 0"', "body"),
    "axis": ('axis="0 0 1"', 'axis="0 {} 1"', "joint"),
    "joint pos": ('pos="0.1 0 0"', 'pos="{} 0 0"', "joint"),
    "armature": ('armature="0.5"', 'armature="{}"', "joint"),
    "size": ('size="0.1 0.2 0.3"', 'size="0.1 {} 0.3"', "geom"),
    "geom mass": ('mass="2"', 'mass="{}"', "geom"),
    "site pos": ('pos="0 0 0.5"', 'pos="{} 0 0"', "site"),
    "ref": ('ref="0.2"', 'ref="{}"', "joint"),
    "com": ('<inertial pos="0.1', '<inertial pos="{}', "inertial"),
    "mass": ('mass="3"', 'mass="{}"', "inertial"),
    "inertia": ('diaginertia="1 1 1"', 'diaginertia="{0} {0} {0}"', "inertial"),
}
for _what, (_old, _new, _tag) in _SITES.items():
    for _number, _why in (
        *(("nan", "is not finite"), ("-inf", "is not finite"), ("Infinity", "is not finite")),
        *(("1e300", "is beyond any"), ("-1e31", "is beyond any"), ("1e999", "is beyond any")),
        *(("abc", "bad format"), ("0x1p1000", "(beyond any .*of a robot|not of length 1|bad format)")),
    ):
        refuse(f"{_what} {_number}", _old, _new.format(_number), _why)
        if _number == "0x1p1000":  # MuJoCo reads it, and only the model shows it
            REFUSED[f"{_what} {_number}"] = REFUSED[f"{_what} {_number}"][0], None, _why

refuse("negative mass", 'mass="3"', 'mass="-3"', "MuJoCo: mass and inertia .*'b'", 10)
refuse("no mass", 'mass="3"', 'mass="0"', "MuJoCo: mass and inertia .*'b'", 10)
refuse("a mass below all", 'mass="3"', 'mass="1e-320"', "MuJoCo: mass and inertia .*'b'", 10)
refuse("negative inertia", "1 1 1", "-1 1 1", "MuJoCo: mass and inertia .*'b'", 10)
refuse("impossible inertia", "1 1 1", "9 1 1", "MuJoCo: inertia must satisfy .*'b'", 10)
refuse("no inertia", ' diaginertia="1 1 1"', "", "MuJoCo: mass and inertia .*'b'", 10)
refuse("a large geom", "0.1 0.2 0.3", "1e29 1e29 1e29", "body 'a': its inertia is .*, beyond any of a robot", 6)
refuse("zero quaternion", 'quat="1 0 0 0"', 'quat="0 0 0 0"', "MuJoCo: zero quaternion")
refuse("tiny quaternion", 'quat="1 0 0 0"', 'quat="1e-300 0 0 0"', "body 'a': its quaternion is .* not of length 1")
refuse("zero axis", 'axis="0 0 1"', 'axis="0 0 0"', "MuJoCo: axis too small .*'j'")
refuse("tiny axis", 'axis="0 0 1"', 'axis="0 0 1e-300"', "MuJoCo: axis too small .*'j'")
refuse("two numbers of three", 'axis="0 0 1"', 'axis="0 1"', "MuJoCo: .*'axis'")
refuse("four numbers of three", 'axis="0 0 1"', 'axis="0 1 0 0"', "MuJoCo: .*'axis'")
refuse("no number", 'axis="0 0 1"', 'axis=" "', "<joint> axis=' ' is empty")
refuse("no anchor", "<equality>", '<equality><connect body1="a" anchor=""/>', "<connect> anchor='' is empty")
refuse("very many numbers", 'axis="0 0 1"', f'axis="{"1 " * 10**5}"', "MuJoCo: .*'axis' has too much")
refuse("a comma", 'armature="0.5"', 'armature="0,5"', "MuJoCo: bad format in attribute 'armature'")
refuse("negative armature", 'armature="0.5"', 'armature="-0.5"', "joint 'j': its armature is negative")
refuse("negative damping", 'armature="0.5"', 'damping="-0.5"', "joint 'j': its damping is negative")
refuse("negative friction", 'armature="0.5"', 'frictionloss="-0.5"', "joint 'j': its friction is negative")
refuse("many turns", 'pos="0.1 0 0"', 'ref="1e20"', "joint 'j': its ref is .*, beyond any")

# Names and structure

refuse("two of a name", '<joint name="k"', '<joint name="j"', "MuJoCo: .*repeated name 'j' in joint")
refuse("two bodies of a name", '<body name="b"', '<body name="a"', "MuJoCo: .*repeated name 'a' in body")
refuse("an attribute twice", 'name="k"', 'name="k" name="k"', "not XML: duplicate attribute")
refuse("a stranger", "<site", "<zite", "not XML: mismatched tag|MuJoCo: .*zite")
refuse("an unknown attribute", 'armature="0.5"', 'armture="0.5"', "MuJoCo: .*armture")
refuse("an unknown type", '"slide"', '"square"', "MuJoCo: .*square")
refuse("a joint of the world", "<worldbody>", "<worldbody><joint/>", "MuJoCo: World body cannot have joints")
refuse("seven joints", "<site", '<joint axis="0 1 0"/>' * 7 + "<site", "MuJoCo: more than 6 dofs in body 'a'", 6)
refuse("a free joint inside", '<inertial pos="0.1', '<freejoint/><inertial pos="0.1', "MuJoCo: ", 10)
refuse("a constraint on nothing", 'joint1="k"', 'joint1="x"', "MuJoCo: .*'x'")
refuse("a motor of nothing", 'name="m" joint="j"', 'name="m" joint="x"', "MuJoCo: .*'x'")
refuse("an unknown class", '<joint name="k"', '<joint name="k" class="x"', "MuJoCo: .*default class.* 'x'")
refuse(
    "no joint inside of it",
    '"/>\n      <geom',
    '"></joint><joint/></body>\n      <geom',
    "not XML: mismatched|MuJoCo",
    0,
)
REFUSED["no joint inside of it"] = REFUSED["no joint inside of it"][0], None, "not XML|MuJoCo"

# Amounts

refuse("a large count", "<site", '<replicate count="1000000000"><site/></replicate><site', "more than 30,000")
refuse("counts of counts", "<site", '<replicate count="9999">' * 3 + "<geom/>" + "</replicate>" * 3 + "<site", "30,000")
refuse("a flexible cube", "<site", '<flexcomp name="f" type="grid" count="1000 1000 1000"/><site', "more than 30,000")
refuse("a large field", "<default>", '<asset><hfield name="h" nrow="100000" ncol="100000"/></asset><default>', "10,000")
refuse("a large picture", "<default>", '<asset><texture width="1000000" height="9"/></asset><default>', "10,000")
refuse("many keys", "<default>", '<size nkey="2000000000"/><default>', "<size> nkey=.* is more than 10,000")
refuse("much to keep", "<default>", '<size nuser_body="2000000000"/><default>', "nuser_body=.* is more than 10,000")
refuse(
    "much of one's own", "<default>", '<size nuserdata="1000000000"/><default>', "more than 1,000,000 numbers of user"
)
refuse(
    "a wide sensor", "<actuator>", '<sensor><user dim="1000000000"/></sensor><actuator>', "1,000,000 numbers of user"
)
_WIDE = '<sensor><user dim="999999"/><user dim="1"/><user dim="1"/></sensor><actuator>'
refuse("sensors together", "<actuator>", _WIDE, "<user>: more than 1,000,000 numbers of user data")
_FIELDS = '<hfield nrow="5000" ncol="5000" size="1 1 1 1"/>' * 2
refuse("fields together", "<default>", f"<asset>{_FIELDS}</asset><default>", "<hfield>: .* cells of height fields")
_FLAT = '<texture type="2d" builtin="flat" width="9999" height="9999"/>'
refuse("pixels", "<default>", f"<asset>{_FLAT}</asset><default>", "<texture>: more than 33,554,432 pixels")
_CUBE = '<texture builtin="flat" width="3000" height="3000"/>'
refuse("pixels of a cube", "<default>", f"<asset>{_CUBE}</asset><default>", "<texture>: more than 33,554,432 pixels")
_TORUS = '<mesh name="t" builtin="supertorus" params="20000 0.5 1 1"/>'
refuse("a fine torus", "<default>", f"<asset>{_TORUS}</asset><default>", "<mesh>: more than 1,000,000 points of meshes")
_BALL = '<mesh name="t" builtin="sphere" params="15"/>'
refuse("a fine sphere", "<default>", f"<asset>{_BALL}</asset><default>", "<mesh>: more than 1,000,000 points of meshes")
_BODIES = '<size nuser_site="10000"/><worldbody><replicate count="9000"><site/></replicate>'
refuse("much for each of many", "<worldbody>", _BODIES, "10,000 numbers for each of 9,0.* elements")
refuse("much memory", "<default>", '<size memory="1000000T"/><default>', "MuJoCo: ", 1)

# Files

for _name in (
    "/etc/passwd",
    "../x.xml",
    "a/../../x.xml",
    "..\\\\x.xml",
    "\\\\etc\\\\passwd",
    "&#47;etc/passwd",
    "C:/x",
):
    refuse(f"include {_name}", "<default>", f'<include file="{_name}"/><default>', "outside of the robot's own folder")
_SOLE = '<body name="c"><geom type="mesh" mesh="m"/></body></worldbody><asset><mesh name="m" file="{}"/></asset>{}'
for _name, _file, _more in (
    ("a mesh outside", "/etc/passwd", ""),
    ("a mesh above", "../m.stl", ""),
    ("a folder of meshes outside", "m.stl", '<compiler meshdir="../x"/>'),
    ("a folder of assets outside", "m.stl", '<compiler assetdir="/etc"/>'),
):
    refuse(_name, "</worldbody>", _SOLE.format(_file, _more), "<mesh> file=.*outside of the robot's own folder")
refuse("a mesh of nothing", "</worldbody>", _SOLE.format("none.stl", ""), "MuJoCo: .*none.stl", 1)
_CLOTH = '<flexcomp name="f" type="mesh" file="{}"/><site'
refuse("a cloth outside", "<site", _CLOTH.format("/etc/passwd"), "<flexcomp> file=.*outside of the robot's own folder")
refuse(
    "hidden by comments", "<site", '<site name="<!--"/><include file="/etc/passwd"/><site name="-->"/><site', "not XML"
)
refuse("an include of nothing", "<default>", '<include file="none.xml"/><default>', "MuJoCo: .*none.xml")
refuse("an include without a file", "<default>", "<include/><default>", "MuJoCo: .*'file'")
refuse("a model of nothing", "<default>", '<asset><model file="none.xml"/></asset><default>', "MuJoCo: .*none.xml")
refuse("a library", "<default>", '<extension><plugin plugin="x.so"/></extension><default>', "MuJoCo: .*x.so not found")

# XML that is none, or more than is good

_LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10 if k else "ha"}">' for k in range(30))


def _bodies(n):
    return "<mujoco><worldbody>\n" + "<body><joint/><geom size='1'/>" * n + "</body>" * n + "</worldbody></mujoco>"


REFUSED |= {
    "empty": ("", 1, "not XML: the file is empty"),
    "blank": (" \n\n", 3, "not XML: the file is empty"),
    "a comment only": ("<!-- mujoco -->", 1, "not XML: no element found"),
    "no markup": ("mujoco", 1, "not XML"),
    "json": ('{"mujoco": 1}', 1, "not XML"),
    "two documents": (SAMPLE + "<mujoco/>", 19, "not XML: junk after document element"),
    "unclosed": (SAMPLE.replace("</mujoco>\n", ""), 18, "not XML: no element found"),
    "crossed": (SAMPLE.replace("</worldbody>", "</mujoco>"), 15, "not XML: mismatched tag"),
    "no quotes": (SAMPLE.replace('"3"', "3"), 12, "not XML: not well-formed"),
    "a bare ampersand": (SAMPLE.replace('"a"', '"a&b"'), 6, "not XML: not well-formed"),
    "a control character": (SAMPLE.replace('"a"', '"\x01"'), 6, "not XML: not well-formed"),
    "a NUL": (SAMPLE.replace('"a"', '"\0"'), 6, "not text: it has a NUL byte"),
    "a NUL behind": (SAMPLE + "\0", 19, "not text: it has a NUL byte"),
    "urdf": ("<robot name='r'><link name='a'/></robot>", 1, "this one's is <robot>: a URDF file"),
    "sdf": ("<?xml version='1.0'?>\n<sdf/>", 2, "this one's is <sdf>"),
    "an include only": ("<mujocoinclude/>", 1, "this one's is <mujocoinclude>"),
    "Mujoco": ("<Mujoco/>", 1, "this one's is <Mujoco>"),
    "a billion laughs": (f"<!DOCTYPE r [{_LAUGHS}]>\n<mujoco model='&l29;'/>", 1, "a document type .* is refused"),
    "an external entity": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco model="&x;"/>',
        1,
        "document type",
    ),
    "an external type": ('<!DOCTYPE mujoco SYSTEM "http://127.0.0.1:1/r.dtd">\n<mujoco/>', 1, "document type"),
    "an unknown entity": (SAMPLE.replace('"a"', '"&aacute;"'), 6, "not XML: undefined entity"),
    "deep": (_bodies(499), 2, "elements are nested more than 500 deep"),
    "very deep": (lambda: _bodies(10_000), 2, "elements are nested more than 500 deep"),
    "deep nonsense": (lambda: "<mujoco>" + "<x>" * 200_000, 1, "elements are nested more than 500 deep"),
    "deep defaults": (lambda: "<mujoco>" + "<default class='x'>" * 10_000, 1, "nested more than 500 deep"),
    "deep frames": (lambda: "<mujoco><worldbody>" + "<frame>" * 10_000, 1, "nested more than 500 deep"),
    "very many": (lambda: f"<mujoco><worldbody>\n{'<site/>' * 30_001}</worldbody></mujoco>", 2, "more than 30,000"),
    "huge": (lambda: b"<mujoco>" + b" " * (64 * 2**20), 1, "more than 64 MiB"),
    "zeros": (bytes(100_000), 1, "not text: it has a NUL byte"),
    "gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00" + bytes(range(256)), 1, "not UTF-8 text"),
    "mjb": (b"\x00\xd4\x00\x00\x08\x00\x00\x00" + bytes(400), 1, "not (text|UTF-8)"),
    "latin-1": (SAMPLE.replace('"a"', '"\u00e9"').encode("latin-1"), 6, "not UTF-8 text"),
    "utf-16": (codecs.BOM_UTF16_LE + SAMPLE.encode("utf-16-le"), 1, "not UTF-8 text"),
    "utf-32": (SAMPLE.encode("utf-32"), 1, "not UTF-8 text"),
    "overlong utf-8": (SAMPLE.encode().replace(b'"a"', b'"\xc0\xaf"'), 6, "not UTF-8 text"),
    "a long tag": (lambda: SAMPLE.replace("<site", f"<{'site' * 10**6}"), None, "MuJoCo: .*sitesite"),
    "a long type": (lambda: SAMPLE.replace("slide", "slide" * 10**6), 11, "MuJoCo: .*slideslide"),
}
for _cut in range(30, len(SAMPLE) - 2, 97):
    REFUSED[f"cut at {_cut}"] = SAMPLE[:_cut], None, "not XML"

ALIKE = {
    "as it is": SAMPLE,
    "without a declaration": SAMPLE[SAMPLE.index("<mujoco") :],
    "with its byte order mark": codecs.BOM_UTF8 + SAMPLE.encode(),
    "carriage returns": SAMPLE.replace("\n", "\r\n").encode(),
    "on one line": SAMPLE.replace("\n", " "),
    "single quotes": SAMPLE.replace('"', "'"),
    "called ascii": SAMPLE.replace('"1.0"', '"1.0" encoding="us-ascii"', 1).encode(),
    "comments": SAMPLE.replace(">\n", '><!-- <body name="z"> -- <include file="/etc/passwd"/> -->\n'),
    "references": SAMPLE.replace('"0 0 1"', '"&#48; 0&#x20;1"').replace('"a"', '"&#97;"'),
    "numbers written otherwise": SAMPLE.replace('"0.1 0.2 0.3"', '" +1e-1\t0.2000  .3\n"'),
    "a long comment": lambda: SAMPLE + f"<!-- {'x' * 5_000_000} -->",
}

_BODY = "<mujoco>\n<worldbody>\n<body name='a'>\n{}<geom size='0.1'/></body></worldbody></mujoco>"
_ATTACH = (
    "<mujoco><asset><model name='m' file='{}'/></asset><worldbody><attach model='m' prefix='p'/></worldbody></mujoco>"
)
_INCLUDE = "<mujoco>\n<include file='{}'/></mujoco>"
FOLDERS = {
    "an include of itself": ({"main.xml": _INCLUDE.format("main.xml")}, "main.xml:2: .*in a circle"),
    "includes in a circle": (
        {"main.xml": _INCLUDE.format("b.xml"), "b.xml": _INCLUDE.format("main.xml")},
        "b.xml:2: .*in a circle",
    ),
    "an include twice": (
        {"main.xml": "<mujoco><include file='b.xml'/><include file='b.xml'/></mujoco>", "b.xml": _BODY.format("")},
        "main.xml:1: MuJoCo: .*already included",
    ),
    "a model of itself": ({"main.xml": _ATTACH.format("main.xml")}, "main.xml:1: .*in a circle"),
    "models in a circle": (
        {
            "main.xml": _ATTACH.format("sub/b.xml"),
            "sub/b.xml": _INCLUDE.format("c.xml"),
            "sub/c.xml": _ATTACH.format("main.xml"),
        },
        "c.xml:1: .*in a circle",
    ),
    "a nan inside": (
        {"main.xml": _INCLUDE.format("b.xml"), "b.xml": _BODY.format("<joint pos='nan 0 0'/>")},
        "b.xml:4: <joint> pos='nan 0 0' is not finite",
    ),
    "a nan inside of a model": (
        {"main.xml": _ATTACH.format("b.xml"), "b.xml": _BODY.format("<joint armature='nan'/>")},
        "b.xml:4: <joint> armature='nan' is not finite",
    ),
    "a way out from inside": (
        {"main.xml": _INCLUDE.format("sub/b.xml"), "sub/b.xml": _INCLUDE.format("../../b.xml")},
        "b.xml:2: .*outside of the robot's own folder",
    ),
    "entities inside": (
        {"main.xml": _INCLUDE.format("b.xml"), "b.xml": f"<!DOCTYPE r [{_LAUGHS}]>\n<mujoco model='&l29;'/>"},
        "b.xml:1: a document type",
    ),
    "deep inside": ({"main.xml": _INCLUDE.format("b.xml"), "b.xml": _bodies(10_000)}, "b.xml:2: .*nested more than"),
    "binary inside": ({"main.xml": _INCLUDE.format("b.xml"), "b.xml": b"\xff\xfe"}, "b.xml:1: not UTF-8 text"),
    "a folder inside": (
        {"main.xml": _INCLUDE.format("sub"), "sub/b.xml": ""},
        "main.xml:2: <include> file='sub': .*sub is not a file; it is a folder",
    ),
    "a mistake inside": (
        {"main.xml": _INCLUDE.format("b.xml"), "b.xml": _BODY.format("<joint axis='0 0 0'/>")},
        r"main.xml:2: MuJoCo, of what this file includes \(b.xml\): axis too small",
    ),
    "ours inside": (
        {"main.xml": _INCLUDE.format("b.xml"), "b.xml": _BODY.format("<joint name='j' armature='-1'/>")},
        "b.xml:4: joint 'j': its armature is negative",
    ),
    "a mesh that is none": (
        {
            "main.xml": "<mujoco>\n<asset><mesh file='x.stl'/></asset>"
            "<worldbody><body><geom type='mesh' mesh='x'/></body></worldbody></mujoco>",
            "x.stl": b"\xff" * 200,
        },
        "main.xml:2: MuJoCo: .*x.stl",
    ),
}


def outcome(data, file="x.xml"):
    """What comes of text or, if it is None, of a file: the mechanism's key, or what its error says; else it raises.

    For a process of its own, should MuJoCo end it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            m = mjcf.read(file) if data is None else mjcf.parse(data, file)
        except ModelError as error:
            assert type(error) is ModelError
            return "", str(error)
    for x in (m.homes, m.screws, m.damping, m.friction, m.armature, m.gravity):
        assert np.isfinite(x).all()
    for link in (*m.links, m.base):
        assert np.isfinite(link.mass) and np.isfinite(link.com).all() and np.isfinite(link.inertia).all()
    assert all(np.isfinite(frame.pose).all() for frame in m.frames.values())
    assert (m.limits["lower"] <= m.limits["upper"]).all()
    return m.key, ""
