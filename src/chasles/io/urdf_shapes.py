"""<visual> and <collision> of a URDF file, kept as data: a file that a mesh names is never looked at."""

from chasles.io.urdf_checks import Checked
from chasles.io.xml import Element
from chasles.model.shape import Shape

Look = tuple[tuple[float, ...] | None, str]  # colour and texture
_PLAIN: Look = (None, "")
_KINDS = {
    "mesh": (("scale", 3),),
    "box": (("size", 3),),
    "sphere": (("radius", 1),),
    "cylinder": (("radius", 1), ("length", 1)),
    "capsule": (("radius", 1), ("length", 1)),
}


class ShapeReader(Checked):
    """Reads the shapes of links."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.materials: dict[str, Look] = {}

    def learn_materials(self, root: Element) -> None:
        """Know every material that the file describes, by its name; the first of a name counts."""
        visuals = [visual for link in root.all("link") for visual in link.all("visual")]
        for element in (m for above in (root, *visuals) for m in above.all("material")):
            look = self.look(element, f"material {element.attributes.get('name', '')!r}")
            if look != _PLAIN:
                self.materials.setdefault(element.attributes.get("name", ""), look)

    def look(self, element: Element, what: str) -> Look:
        """The colour and texture that a <material> itself describes."""
        colour, texture = self.one(element, "color", what), self.one(element, "texture", what)
        rgba = None if colour is None else tuple(self.numbers(colour, "rgba", 4, what))
        return rgba, "" if texture is None else texture.attributes.get("filename", "")

    def shapes(self, link: Element, name: str) -> list[Shape]:
        """The shapes of a link, those to see before those to touch."""
        what = f"link {name!r}"
        return [
            shape
            for role in ("visual", "collision")
            for element in link.all(role)
            if (shape := self.shape(element, role, name, f"{what}: <{role}>")) is not None
        ]

    def shape(self, element: Element, role: str, link: str, what: str) -> Shape | None:
        for child in element.children:
            if child.tag not in ("origin", "geometry", "material"):
                self.ignore(child, f"<{child.tag}> in <{role}>")
        T = self.origin(element, what)
        material, (colour, texture) = self.one(element, "material", what), _PLAIN
        if material is not None and role == "visual":
            colour, texture = self.look(material, what)
            if (colour, texture) == _PLAIN:
                colour, texture = self.materials.get(material.attributes.get("name", ""), _PLAIN)
        geometry = self.one(element, "geometry", what)
        forms = [form for form in (geometry.children if geometry else ()) if form.tag in _KINDS]
        if geometry is None or not forms:
            self.ignore(element, f"<{role}> without a geometry that is known")
            return None
        if len(forms) > 1:
            self.fail(forms[1], f"{what} has two shapes in one <geometry>")
        form, size = forms[0], []
        for key, count in _KINDS[form.tag]:
            default = form.tag == "mesh" and key not in form.attributes
            size += [1.0] * count if default else self.numbers(form, key, count, what)
        if form.tag != "mesh" and min(size) < 0.0:
            self.fail(form, f"{what}: a {form.tag} cannot have the size {size}")
        rows = tuple(tuple(map(float, row)) for row in T)
        file = self.string(form, "filename", what) if form.tag == "mesh" else ""
        label = element.attributes.get("name", "")
        return Shape(link, role, form.tag, tuple(size), rows, file, label, colour, texture)
