"""Malformed and strange URDF files, made by code.

REFUSED: {name: (data, line or None, pattern)}, each to raise a ModelError that begins with FILE:LINE: and has the
pattern. ALIKE: {name: data}, each to load as SAMPLE does. data: text, bytes, or a function that makes them.
"""

import codecs

SAMPLE = """\
<?xml version="1.0"?>
<robot name="r">
  <link name="a">
    <inertial>
      <origin xyz="0.1 0 0.2" rpy="0.4 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/>
    </inertial>
    <visual>
      <geometry><mesh filename="package://p/a.stl" scale="1 1 1"/></geometry>
    </visual>
  </link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="c"><inertial><mass value="3"/><inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial></link>
  <joint name="j" type="revolute">
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <parent link="a"/>
    <child link="b"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="k" type="prismatic">
    <parent link="b"/>
    <child link="c"/>
    <limit lower="-3" upper="4" effort="11" velocity="5"/>
    <mimic joint="j" multiplier="2" offset="0.75"/>
  </joint>
</robot>
"""


def edit(old, new):
    """The sample with its first `old` replaced, and the line that it stands on."""
    at = SAMPLE.index(old)
    return SAMPLE[:at] + new + SAMPLE[at + len(old) :], SAMPLE.count("\n", 0, at) + 1


REFUSED = {}


def refuse(name, old, new, pattern, down=0):
    assert name not in REFUSED
    text, line = edit(old, new)
    REFUSED[name] = text, line + down, pattern


# Numbers: every kind of number with every kind of nonsense for it

_SITES = {
    "inertial xyz": ('<origin xyz="0.1 0 0.2"', '<origin xyz="{} 0 0"', "link 'a'"),
    "inertial rpy": ('rpy="0.4 0 0"', 'rpy="0 0 {}"', "link 'a'"),
    "mass": ('<mass value="2"', '<mass value="{}"', "link 'a'"),
    "ixy": ('ixy="0.01"', 'ixy="{}"', "link 'a'"),
    "joint xyz": ('<origin xyz="1 2 3"', '<origin xyz="1 {} 3"', "joint 'j'"),
    "joint rpy": ('rpy="0.1 0.2 0.3"', 'rpy="{} 0.2 0.3"', "joint 'j'"),
    "axis": ('<axis xyz="0 0 1"', '<axis xyz="0 {} 1"', "joint 'j'"),
    "lower": ('lower="-1"', 'lower="{}"', "joint 'j'"),
    "effort": ('effort="10"', 'effort="{}"', "joint 'j'"),
    "damping": ('damping="0.5"', 'damping="{}"', "joint 'j'"),
    "multiplier": ('multiplier="2"', 'multiplier="{}"', "joint 'k'"),
    "mesh scale": ('scale="1 1 1"', 'scale="1 {} 1"', "link 'a': <visual>"),
}
_NONSENSE = [
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "0x10",
    "1,5",
    "1e",
    "1_0",
    "\u0663",
    "1.0f",
    "--1",
    "1d5",
    "${x}",
    "1 2",
]
for _site, (_old, _new, _what) in _SITES.items():
    for _word in _NONSENSE:
        refuse(f"{_site} {_word}", _old, _new.format(_word), _what)
    if _site not in ("lower", "effort"):  # those have no bound then
        refuse(f"{_site} 1e999", _old, _new.format("1e999"), f"{_what}.*'1e999' is beyond any")
    refuse(f"{_site} empty", _old, _new[: _new.index('"')] + '" "', f"{_what}.* has an empty")

for _name, _old, _new in [
    ("two for xyz", '<axis xyz="0 0 1"', '<axis xyz="0 1"'),
    ("four for xyz", '<axis xyz="0 0 1"', '<axis xyz="0 0 0 1"'),
    ("commas for xyz", '<axis xyz="0 0 1"', '<axis xyz="0,0,1"'),
    ("two for rpy", 'rpy="0.1 0.2 0.3"', 'rpy="0.1 0.2"'),
    ("a no-break space", '<axis xyz="0 0 1"', '<axis xyz="0\u00a00 1"'),
    ("a million digits", '<axis xyz="0 0 1"', f'<axis xyz="0 0 1{"0" * 1_000_000}"'),
    ("an angle of a million", 'rpy="0.1 0.2 0.3"', 'rpy="0.1 1e6 0.3"'),
]:
    refuse(_name, _old, _new, "joint 'j': <(axis xyz|origin rpy)=")

# Links

refuse("negative mass", '<mass value="2"', '<mass value="-2"', r"link 'a': its mass is negative \(-2\)", -2)
refuse("negative moment", 'iyy="0.4"', 'iyy="-0.4"', "link 'a': its inertia has a negative eigenvalue", -4)
refuse("no mass", '<mass value="2"/>', "", "link 'a': <mass> is missing in <inertial>", -2)
refuse("mass as text", '<mass value="2"/>', "<mass>2</mass>", "link 'a': <mass> has no 'value'")
refuse(
    "mass by another name",
    '<mass value="2"/>',
    '<mass kg="2"/>',
    "link 'a': <mass> has an unknown 'kg'; it takes value",
)
refuse("two masses", '<mass value="2"/>', '<mass value="2"/><mass value="3"/>', "link 'a' has two <mass>")
refuse(
    "mass outside of inertial", "<visual>", '<mass value="1"/><visual>', "link 'a': <mass> does not belong in <link>"
)
refuse("no inertia", '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>', "", "link 'b': <inertia> is missing")
refuse("five moments", ' izz="0.5"', "", "link 'a': <inertia> has no 'izz'")
refuse("a moment twice", ' izz="0.5"', ' izz="0.5" izz="0.5"', "not XML: duplicate attribute")
refuse("two inertials", '<link name="b">', '<link name="b"><inertial/>', "link 'b' has two <inertial>")
refuse("a misspelt inertial", '<link name="b"><inertial>', '<link name="b"><inertail>', "not XML: mismatched tag")
refuse("a misspelt mass", '<mass value="2"/>', '<mas value="2"/>', "link 'a': unknown <mas>; did you mean <mass>")
refuse("mass in capitals", '<mass value="2"/>', '<Mass value="2"/>', "unknown <Mass>; did you mean <mass>")
refuse("a link without a name", '<link name="c">', "<link>", "a link: <link> has no 'name'")
refuse("a link with an empty name", '<link name="c">', '<link name="">', "a link: <link> has an empty 'name'")
refuse("a link twice", '<link name="c">', '<link name="b">', "link name 'b' is taken by that of line 13")
refuse("a link in a link", "<visual>", '<link name="x"/><visual>', "link 'a': <link> does not belong in <link>")
refuse("a mesh without a file", 'filename="package://p/a.stl" ', "", "link 'a': <visual>: <mesh> has no 'filename'")
refuse("two geometries", "<geometry>", "<geometry/><geometry>", "link 'a': <visual> has two <geometry>")
refuse("two shapes", "<geometry>", '<geometry><sphere radius="1"/>', "<visual> has two shapes in one <geometry>")
refuse(
    "a negative radius",
    '<mesh filename="package://p/a.stl" scale="1 1 1"/>',
    '<sphere radius="-1"/>',
    "a sphere cannot",
)
refuse(
    "a colour of three",
    "<visual>",
    '<visual><material name="m"><color rgba="1 1 1"/></material>',
    "material 'm'.*4 num",
)

refuse("a scale misspelt", ' scale="1 1 1"', ' scal="1 1 1"', "<mesh> has an unknown 'scal'; did you mean 'scale'")
refuse("a sphere misspelt", "<mesh filename", "<sphre/><mesh filename", "unknown <sphre>; did you mean <sphere>")
refuse(
    "an origin of a visual", "<visual>", "<visual><orign/>", "link 'a': <visual>: unknown <orign>; did you mean <ori"
)
_COLOUR = '<visual><material name="m"><colour rgba="1 1 1 1"/></material>'
refuse("a British colour", "<visual>", _COLOUR, "material 'm': unknown <colour>; did you mean <color>")

# Joints

refuse("zero axis", '<axis xyz="0 0 1"', '<axis xyz="0 -0 0"', "joint 'j': its axis '0 -0 0' is zero")
refuse("an axis of nearly nothing", '<axis xyz="0 0 1"', '<axis xyz="0 0 1e-300"', "joint 'j': its axis .* is zero")
refuse("an axis of nothing", '<axis xyz="0 0 1"', "<axis", "joint 'j': <axis> has no 'xyz'")
refuse("an axis misspelt", '<axis xyz="0 0 1"', '<axis xzy="0 0 1"', "<axis> has an unknown 'xzy'; did you mean 'xyz'")
refuse("an axis element misspelt", '<axis xyz="0 0 1"', '<axes xyz="0 0 1"', "unknown <axes>; did you mean <axis>")
refuse(
    "an origin by another name",
    '<origin xyz="1 2 3"',
    '<origin position="1 2 3"',
    "unknown 'position'; it takes xyz, rpy",
)
refuse("a centre of mass", "<inertial>", "<inertial><com/>", "link 'a': <com> does not belong in <inertial>")
refuse("two axes", "<axis", '<axis xyz="1 0 0"/><axis', "joint 'j' has two <axis>, the first on line 19")
refuse("two origins", '<origin xyz="1 2 3"', '<origin/><origin xyz="1 2 3"', "joint 'j' has two <origin>")
refuse("an origin misspelt", '<origin xyz="1 2 3"', '<orgin xyz="1 2 3"', "unknown <orgin>; did you mean <origin>")
refuse("rpy misspelt", '<origin xyz="1 2 3" rpy=', '<origin xyz="1 2 3" ryp=', "unknown 'ryp'; did you mean 'rpy'")
refuse(
    "endless limits", 'lower="-1" upper="2"', 'lower="1e308" upper="1e308"', "joint 'j': its limits .* leave nothing"
)
refuse("negative effort", 'effort="10"', 'effort="-10"', r"joint 'j': its effort is negative \(-10\)")
refuse("negative velocity", 'velocity="3"', 'velocity="-3"', "joint 'j': its velocity is negative")
refuse("negative damping", 'damping="0.5"', 'damping="-0.5"', "joint 'j': its damping is negative")
refuse("negative friction", 'friction="0.25"', 'friction="-1"', "joint 'j': its friction is negative")
refuse("limits misspelt", "<limit lower", "<limits lower", "unknown <limits>; did you mean <limit>")
refuse("effort misspelt", 'effort="10"', 'efort="10"', "<limit> has an unknown 'efort'; did you mean 'effort'")
refuse("a joint without a name", '<joint name="k" ', "<joint ", "a joint: <joint> has no 'name'")
refuse("a joint twice", '<joint name="k" ', '<joint name="j" ', "joint name 'j' is taken by that of line 15")
refuse("a joint without a type", ' type="prismatic"', "", "joint 'k': <joint> has no 'type'")
refuse("a type in capitals", 'type="prismatic"', 'type="Prismatic"', "joint 'k': its type must be one of .*'Prismatic'")
refuse("a type that is none", 'type="prismatic"', 'type="ball"', "joint 'k': its type must be one of .*'ball'")
refuse("no parent", '<parent link="b"/>', "", "joint 'k': <parent> is missing", -1)
refuse("no child", '<child link="c"/>', "", "joint 'k': <child> is missing", -2)
refuse(
    "two parents in a joint", '<parent link="b"/>', '<parent link="b"/><parent link="a"/>', "joint 'k' has two <parent>"
)
refuse("a parent without a link", '<parent link="b"/>', "<parent/>", "joint 'k': <parent> has no 'link'")
refuse("a parent as text", '<parent link="b"/>', "<parent>b</parent>", "joint 'k': <parent> has no 'link'")
refuse("an unknown parent", '<parent link="b"/>', '<parent link="x"/>', "joint 'k': its parent 'x' is no link", -1)
refuse(
    "a parent with a space", '<parent link="b"/>', '<parent link=" b"/>', "joint 'k': its parent ' b' is no link", -1
)
refuse("an unknown child", '<child link="c"/>', '<child link="x"/>', "joint 'k': its child 'x' is no link", -2)
refuse("a joint to itself", '<child link="c"/>', '<child link="b"/>', "joint 'k': it joins link 'b' to itself", -2)
refuse("a joint in a link", "<visual>", '<joint name="x"/><visual>', "link 'a': <joint> does not belong in <link>")

# Trees

_FIXED = '<joint name="x" type="fixed"><parent link="{}"/><child link="{}"/></joint>\n</robot>'
refuse("two parents for a link", "</robot>", _FIXED.format("a", "c"), "child 'c' is already that of joint 'k' .line 23")
refuse("all in a circle", "</robot>", _FIXED.format("c", "a"), "links go round in a circle: a -> b -> c -> a|c -> a")
_ASIDE = (
    '<link name="d"/><link name="e"/>' + _FIXED.format("d", "e")[:-9] + _FIXED.format("e", "d").replace('"x"', '"y"')
)
refuse("a circle aside", "</robot>", _ASIDE, "links go round in a circle: (d -> e -> d|e -> d -> e)")
refuse("two roots", "</robot>", '<link name="d"/></robot>', "2 links have no parent: 'a', 'd'; a robot has one root")
refuse(
    "many roots", "</robot>", "".join(f'<link name="d{k}"/>' for k in range(50)) + "</robot>", "51 links .* and 43 more"
)
for _case in ("all in a circle",):
    REFUSED[_case] = REFUSED[_case][0], None, REFUSED[_case][2]
REFUSED["no links"] = '<robot name="r"/>', 1, "the robot has no <link>"
REFUSED["only joints"] = SAMPLE[: SAMPLE.index("  <link")] + SAMPLE[SAMPLE.index("  <joint") :], 2, "no <link>"
_MANY = '<robot name="r">\n' + "".join(f'<link name="{k}"/>\n' for k in range(10_001)) + "</robot>"
REFUSED["too many links"] = _MANY, 10_002, "more than 10,000 <link>"

# Mimics

refuse("mimic of itself", '<mimic joint="j"', '<mimic joint="k"', "joints mimic each other in a circle: k -> k", -4)
refuse("mimics in a circle", "<dynamics", '<mimic joint="k"/><dynamics', "in a circle: (j -> k -> j|k -> j -> k)")
REFUSED["mimics in a circle"] = REFUSED["mimics in a circle"][0], None, REFUSED["mimics in a circle"][2]
refuse("mimic of no joint", '<mimic joint="j"', "<mimic", "joint 'k': <mimic> has no 'joint'")
refuse("two mimics", "<mimic", '<mimic joint="j"/><mimic', "joint 'k' has two <mimic>")
refuse("mimic of a planar joint", 'type="revolute"', 'type="planar"', "joint 'k' mimics 'j', which has several", 8)
refuse("a planar mimic", 'type="prismatic"', 'type="planar"', "joint 'k': a planar joint cannot mimic another")
refuse("mimics beyond bounds", '<mimic joint="j" multiplier="2"', '<mimic joint="j" multiplier="1e31"', "is beyond any")

# Other languages

refuse(
    "xacro property that is used",
    "<visual>",
    '<xacro:property name="x" value="1"/><visual name="${x}"/><visual>',
    "this is a xacro file; call it .xacro, or expand it first",
)
refuse("xacro macro", '<link name="b">', '<xacro:arm prefix="x"/><link name="b">', "<xacro:arm>: this is a xacro file")
refuse(
    "xacro in a name",
    '<link name="c">',
    '<link name="${p}c">',
    "this is a xacro file; call it .xacro, or expand it first",
)
refuse("xacro in a path", "package://p/a.stl", "$(find p)/a.stl", "link 'a': .*this is a xacro file")
refuse("an include", "<link", '<include filename="other.urdf"/><link', "<include>: this is a xacro file")
_XI = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="other.urdf"/><link'
refuse("an include of XML", "<link", _XI, "<xi:include>: what it names is not read; put that into this file instead")
REFUSED["mjcf"] = "<mujoco><worldbody/></mujoco>", 1, "this one's is <mujoco>: an MJCF file"
REFUSED["sdf"] = '<?xml version="1.0"?>\n<sdf version="1.6"/>', 2, "this one's is <sdf>: an SDF file"
REFUSED["html"] = "<html><body>404</body></html>", 1, "the root of a URDF file is <robot>, this one's is <html>"
REFUSED["a prefixed root"] = '<u:robot xmlns:u="x" name="r"><u:link name="a"/></u:robot>', 1, "this one's is <u:robot>"
REFUSED["Robot"] = '<Robot name="r"><link name="a"/></Robot>', 1, "this one's is <Robot>"
REFUSED["json"] = '{"robot": "r"}', 1, "not XML"
REFUSED["toml"] = "name = 'r'\n[[links]]\n", 1, "not XML"
refuse("a version to come", '<robot name="r">', '<robot name="r" version="9.0">', "URDF version '9.0' is not known")
refuse("an empty name", '<robot name="r">', '<robot name="">', "the robot: <robot> has an empty 'name'")

# XML that is none, or more than is good

_BOMB = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "{}">]>\n<robot name="&b;"/>'.format("&a;" * 50)
_LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10 if k else "ha"}">' for k in range(30))
REFUSED |= {
    "empty": ("", 1, "not XML: the file is empty"),
    "blank": (" \n\n", 3, "not XML: the file is empty"),
    "a comment only": ("<!-- robot -->", 1, "not XML: no element found"),
    "no markup": ("robot", 1, "not XML"),
    "two documents": (SAMPLE + '<robot name="s"/>', 30, "not XML: junk after document element"),
    "text behind": (SAMPLE + "more", 30, "not XML"),
    "a declaration too late": ("\n" + SAMPLE, 2, "not XML: XML or text declaration not at start"),
    "unclosed": (SAMPLE.replace("</robot>\n", ""), 29, "not XML: no element found .*; <robot> of line 2 is open"),
    "crossed": (SAMPLE.replace("</inertial>\n", "</link>\n"), 8, "mismatched tag .*<inertial> of line 4 is open"),
    "no quotes": (SAMPLE.replace('"2"', "2"), 6, "not XML: not well-formed"),
    "a bare ampersand": (SAMPLE.replace('"a"', '"a&b"'), 3, "not XML: not well-formed"),
    "a bare <": (SAMPLE.replace('"a"', '"a<b"'), 3, "not XML: not well-formed"),
    "an unknown entity": (SAMPLE.replace('"a"', '"&aacute;"'), 3, "not XML: undefined entity"),
    "a control character": (SAMPLE.replace('"a"', '"\x01"'), 3, "not XML: not well-formed"),
    "a reference to one": (SAMPLE.replace('"a"', '"&#1;"'), 3, "not XML: reference to invalid character"),
    "a NUL": (SAMPLE.replace('"a"', '"\0"'), 3, "not text: it has a NUL byte"),
    "half a surrogate": (SAMPLE.replace('"a"', '"\ud800"'), 3, "not text: it has half of a surrogate pair"),
    "an entity bomb": (_BOMB, 1, "a document type .* is refused"),
    "a billion laughs": (
        f'<!DOCTYPE r [{_LAUGHS}]>\n<robot name="r">&l29;</robot>',
        1,
        "a document type .* is refused",
    ),
    "an external entity": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        1,
        "document type",
    ),
    "an external type": ('<!DOCTYPE robot SYSTEM "http://127.0.0.1:1/r.dtd">\n' + SAMPLE[22:], 1, "document type"),
    "a parameter entity": ('<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]><robot/>', 1, "document type"),
    "a long tag": (lambda: SAMPLE.replace("<visual>", f"<{'mass' * 10**6}>"), 11, "mismatched tag .*massmass"),
    "a long name": (lambda: SAMPLE.replace('"c"', f'"{"c" * 10**6}"', 1), 23, "joint 'k': its child 'c' is no link"),
    "a long type": (lambda: SAMPLE.replace("revolute", "revolute" * 10**6), 15, "joint 'j': its type must be one of"),
    "deep": (f"<robot name='r'>\n{'<x>' * 200}", 2, "<x>: elements are nested more than 100 deep"),
    "very deep": (lambda: f"<robot name='r'>\n{'<x>' * 1_000_000}", 2, "elements are nested more than 100 deep"),
    "very many": (lambda: f"<robot name='r'>\n{'<x/>' * 250_001}</robot>", 2, "more than 250,000 elements"),
    "huge": (lambda: b"<robot>" + b" " * (64 * 2**20), 1, "more than 64 MiB"),
    "zeros": (bytes(100_000), 1, "not text: it has a NUL byte"),
    "gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00" + bytes(range(256)), 1, "not UTF-8 text"),
    "elf": (b"\x7fELF\x02\x01\x01" + bytes(100), 1, "not text"),
    "png": (b"\x89PNG\r\n\x1a\n" + bytes(100), 1, "not UTF-8 text"),
    "latin-1 called nothing": (SAMPLE.replace('"c"', '"\u00e9"').encode("latin-1"), 14, "not UTF-8 text"),
    "latin-1 called ascii": (b'<?xml version="1.0" encoding="us-ascii"?>\n<robot name="\xe9"/>', 2, "not ASCII text"),
    "overlong utf-8": (SAMPLE.encode().replace(b'"a"', b'"\xc0\xaf"'), 3, "not UTF-8 text"),
    "utf-16 cut in two": (codecs.BOM_UTF16_LE + SAMPLE.encode("utf-16-le")[:-3], None, "not UTF-16 text"),
    "utf-16 without its mark": (SAMPLE.encode("utf-16-le"), 1, "not text: it has a NUL byte"),
    "utf-32": (SAMPLE.encode("utf-32"), 1, "not text: it has a NUL byte"),
    "ebcdic": (SAMPLE.encode("cp500"), 1, "not (UTF-8 text|XML)"),
    "an encoding that is none": (
        b'<?xml version="1.0" encoding="x-foo"?><robot/>',
        1,
        "its encoding 'x-foo' is not read",
    ),
    "an encoding with a path": (b'<?xml version="1.0" encoding="../../x"?><robot/>', 1, "is not read here"),
    "an encoding that is code": (b'<?xml version="1.0" encoding="zlib_codec"?><robot/>', 1, "is not read here"),
}
for _cut in range(1, len(SAMPLE) - 2, 23):
    REFUSED[f"cut at {_cut}"] = SAMPLE[:_cut], None, "not XML"

_LINKS, _JOINTS, _END = (SAMPLE.index(text) for text in ("  <link", "  <joint", "</robot>"))
_DECLARED = SAMPLE.replace('"1.0"', '"1.0" encoding="{}"', 1)
_CLOSE = "</robot>"
_ATTRIBUTES = "<x " + " ".join(f"a{k}=''" for k in range(100_000)) + "/>"
ALIKE = {
    "as it is": SAMPLE,
    "with -- in comments": SAMPLE.replace("<visual>", "<!-- a -- b --- <link/> --><!-----><visual>"),
    "a group of links": SAMPLE.replace(_CLOSE, '<group><link name="b"/><joint name="k"/></group>' + _CLOSE),
    "without a declaration": SAMPLE[SAMPLE.index("<robot") :],
    "with its byte order mark": codecs.BOM_UTF8 + SAMPLE.encode(),
    "text with a mark": "\ufeff" + SAMPLE,
    "utf-16 little": codecs.BOM_UTF16_LE + SAMPLE.encode("utf-16-le"),
    "utf-16 big": codecs.BOM_UTF16_BE + _DECLARED.format("utf-16").encode("utf-16-be"),
    "called utf-8": _DECLARED.format("UTF-8").encode(),
    "called ascii": _DECLARED.format("us-ascii").encode(),
    "called latin-1": _DECLARED.format("ISO-8859-1").encode(),
    "carriage returns": SAMPLE.replace("\n", "\r\n").encode(),
    "on one line": SAMPLE.replace("\n", " "),
    "single quotes": SAMPLE.replace('"', "'"),
    "comments": SAMPLE.replace(">\n", '><!-- <link name="z"/> ${x} -->\n')[:-1].replace("?><!--", "?>\n<!--"),
    "instructions": SAMPLE.replace("<link", '<?php system("rm"); ?><link'),
    "character data": SAMPLE.replace("<link", "<![CDATA[<link name='z'/>]]><link"),
    "references": SAMPLE.replace('"1 2 3"', '"&#49;&#x20;2&#9;3"').replace('"a"', '"&#97;"'),
    "a namespace": SAMPLE.replace("<robot", '<robot xmlns="http://a.b" xmlns:xacro="http://c.d"'),
    "a version": SAMPLE.replace("<robot", '<robot version="1.1"'),
    "numbers written otherwise": SAMPLE.replace('"1 2 3"', '" +1.  .2e+1\n\t3E0 "').replace('"10"', '"00010.000"'),
    "joints first": SAMPLE[:_LINKS] + SAMPLE[_JOINTS:_END] + SAMPLE[_LINKS:_JOINTS] + SAMPLE[_END:],
    "another mesh": SAMPLE.replace("package://p/a.stl", "file:///etc/passwd"),
    "a mesh from above": SAMPLE.replace("package://p/a.stl", "../../../../etc/shadow"),
    "a mesh from afar": SAMPLE.replace("package://p/a.stl", "http://127.0.0.1:1/x.stl"),
    "a mesh with a NUL name": SAMPLE.replace("package://p/a.stl", "%00"),
    "no visual at all": SAMPLE.replace("visual>", "nothing>"),
    "simulators": SAMPLE.replace("</robot>", "<gazebo><a><b>${x}</b></a></gazebo><transmission/></robot>"),
    "as deep as allowed": SAMPLE.replace("</robot>", "<x>" * 99 + "</x>" * 99 + "</robot>"),
    "a long comment": lambda: SAMPLE + f"<!-- {'x' * 5_000_000} -->",
    "a long attribute": lambda: SAMPLE.replace("</robot>", f'<x y="{"z" * 5_000_000}"/></robot>'),
    "many attributes": lambda: SAMPLE.replace("</robot>", _ATTRIBUTES + "</robot>"),
    "many kinds of strangers": lambda: SAMPLE.replace(_CLOSE, "".join(map("<j{}/>".format, range(50_000))) + _CLOSE),
    "many strangers": SAMPLE.replace("</robot>", "<x/>" * 100_000 + "</robot>"),
}  # fmt: skip
