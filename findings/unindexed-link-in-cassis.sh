#!/usr/bin/env bash
# Guess: a coreference chain as UIMA's types have it (a chain with a `first` link, each link with a
# `next`) survives dkpro-cassis once the chain itself was added to the CAS, as the links hang on it.
# Found: dkpro-cassis 0.12.0 sets the text (`sofa`) of what was added only. Of a chain added without
# its links it writes XMI that it cannot read again (KeyError: None), and it fails to write JSON
# (AttributeError). With `sofa` set by hand, both are read, and the links stay out of the index.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q dkpro-cassis==0.12.0

cat >"$folder/chain.py" <<'PYTHON'
from importlib.metadata import version

from cassis import Cas, TypeSystem, load_cas_from_json, load_cas_from_xmi

types = TypeSystem()
Link = types.create_type("demo.Link", "uima.tcas.Annotation")
types.create_feature(Link, "next", Link)
Chain = types.create_type("demo.Chain", "uima.cas.AnnotationBase")
types.create_feature(Chain, "first", Link)


def build(way):
    cas = Cas(types, sofa_string="The quake struck . It killed ten .")
    second = Link(begin=19, end=21)
    first = Link(begin=4, end=9, next=second)
    cas.add(Chain(first=first))
    if way == "links added":
        cas.add_all([first, second])
    if way == "sofa set":
        first.sofa = second.sofa = cas.get_sofa()
    return cas


print("dkpro-cassis", version("dkpro-cassis"))
ways = {"XMI": (Cas.to_xmi, load_cas_from_xmi), "JSON": (Cas.to_json, load_cas_from_json)}
for way in ("chain added", "sofa set", "links added"):
    for name, (write, read) in ways.items():
        step = "write"
        try:
            text = write(build(way))
            step = "read"
            cas = read(text, types)
        except Exception as error:
            print(f"{way}, {name}: cannot {step}: {type(error).__name__}")
            continue
        link = cas.select("demo.Chain")[0].first
        mentions = link.get_covered_text(), link.next.get_covered_text()
        print(f"{way}, {name}:", *mentions, "| links in the index:", len(cas.select("demo.Link")))
PYTHON
seen=$("$folder/env/bin/python" "$folder/chain.py")
printf '%s\n' "$seen"

[ "$seen" = "dkpro-cassis 0.12.0
chain added, XMI: cannot read: KeyError
chain added, JSON: cannot write: AttributeError
sofa set, XMI: quake It | links in the index: 0
sofa set, JSON: quake It | links in the index: 0
links added, XMI: quake It | links in the index: 2
links added, JSON: quake It | links in the index: 2" ]
