"""<visual> and <collision> of a URDF file, kept as data: a file that a mesh names is never looked at."""

from chasles.arguments import shown
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
        self.survey(element, what)
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

    def seen(self, visual: Element, what: str) -> Look:
        """The look of a <visual>: its material's own, or that of its name."""
        material = self.one(visual, "material", what)
        if material is None:
            return _PLAIN
        own, name = self.look(material, what), material.attributes.get("name", "")
        if own == _PLAIN and name not in self.materials:
            self.ignore(material, f"material {shown(name)}, which is described nowhere")
        return own if own != _PLAIN else self.materials.get(name, _PLAIN)

    def shape(self, element: Element, role: str, link: str, what: str) -> Shape | None:
        self.survey(element, what)
        T = self.origin(element, what)
        colour, texture = self.seen(element, what) if role == "visual" else _PLAIN
        geometry = self.one(element, "geometry", what)
        forms = [form for form in (geometry.children if geometry else ()) if form.tag in _KINDS]
        if geometry is None or not forms:
            self.ignore(element, f"<{role}> without a geometry that is known")
            return None
        if len(forms) > 1:
            self.fail(forms[1], f"{what} has two shapes in one <geometry>")
        form, size = forms[0], []
        self.survey(form, what)
        for key, count in _KINDS[form.tag]:
            default = form.tag == "mesh" and key not in form.attributes
            size += [1.0] * count if default else self.numbers(form, key, count, what)
        if form.tag != "mesh" and min(size) < 0.0:
            self.fail(form, f"{what}: a {form.tag} cannot have the size {size}")
        rows = tuple(tuple(map(float, row)) for row in T)
        file = self.string(form, "filename", what) if form.tag == "mesh" else ""
        label = element.attributes.get("name", "")
        return Shape(link, role, form.tag, tuple(size), rows, file, label, colour, texture)
