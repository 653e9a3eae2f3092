#!/usr/bin/env bash
# Guess: two documents as two views of one CAS, with a chain that has a mention in each, can be
# written by dkpro-cassis as XMI or as JSON, and read again from either.
# Found: dkpro-cassis 0.12.0 reads it from XMI, each mention with the text of its view. JSON that
# it wrote with a named view it cannot read, chain or not: `A view with name [...] already exists!`
# With nothing but the first view, which needs no name, JSON works.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q dkpro-cassis==0.12.0

cat >"$folder/views.py" <<'PYTHON'
from importlib.metadata import version

from cassis import Cas, TypeSystem, load_cas_from_json, load_cas_from_xmi

types = TypeSystem()
Link = types.create_type("demo.Link", "uima.tcas.Annotation")
types.create_feature(Link, "next", Link)
ways = {"XMI": (Cas.to_xmi, load_cas_from_xmi), "JSON": (Cas.to_json, load_cas_from_json)}


def build(*views):
    """A CAS with a document in each view, and one chain through all of them."""
    cas, link = Cas(types), None
    for view, text in reversed(list(zip(views, ("A quake struck .", "The tremor was felt .")))):
        document = cas if view == "_InitialView" else cas.create_view(view)
        document.sofa_string = text
        word = text.split()[1]
        link = Link(begin=text.index(word), end=text.index(word) + len(word), next=link)
        document.add(link)
    return cas


print("dkpro-cassis", version("dkpro-cassis"))
for views in (["_InitialView"], ["first", "second"], ["_InitialView", "second"]):
    for name, (write, read) in ways.items():
        text = write(build(*views))
        try:
            [link] = read(text, types).get_view(views[0]).select("demo.Link")
        except ValueError as error:
            print(*views, f"{name}: ValueError: {error}")
            continue
        chain = []
        while link:
            chain.append(link.get_covered_text())
            link = link.next
        print(*views, f"{name}:", *chain)
PYTHON
seen=$("$folder/env/bin/python" "$folder/views.py")
printf '%s\n' "$seen"

[ "$seen" = "dkpro-cassis 0.12.0
_InitialView XMI: quake
_InitialView JSON: quake
first second XMI: quake tremor
first second JSON: ValueError: A view with name [second] already exists!
_InitialView second XMI: quake tremor
_InitialView second JSON: ValueError: A view with name [second] already exists!" ]
