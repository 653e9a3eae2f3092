#!/usr/bin/env bash
# Guess: dkpro-cassis, which can cut a CAS down to a part of its text, takes a mention outside that
# part out of its chain too, or at least leaves it without a place in the text.
# Found: with dkpro-cassis 0.12.0 `crop_sofa_string` moves the mentions inside, and drops those
# outside from the index only. The chain still holds them at the offsets of the old text (its docs
# say so), and so does the XMI: read back, the first mention is other letters of the text left.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q dkpro-cassis==0.12.0

cat >"$folder/crop.py" <<'PYTHON'
from importlib.metadata import version

from cassis import Cas, TypeSystem, load_cas_from_xmi

text = "The quake struck . It killed ten . This shook all ."
types = TypeSystem()
Link = types.create_type("demo.Link", "uima.tcas.Annotation")
types.create_feature(Link, "next", Link)
Chain = types.create_type("demo.Chain", "uima.cas.AnnotationBase")
types.create_feature(Chain, "first", Link)

cas = Cas(types, sofa_string=text)
link = None
for word in ("This", "It", "quake"):
    begin = text.index(word)
    link = Link(begin=begin, end=begin + len(word), next=link)
    cas.add(link)
cas.add(Chain(first=link))


def show(when, cas):
    chain, link = [], cas.select("demo.Chain")[0].first
    while link:
        chain.append(f"{link.begin}-{link.end} {link.get_covered_text()}")
        link = link.next
    index = [link.get_covered_text() for link in cas.select("demo.Link")]
    print(f"{when}: chain", chain, "index", index)


print("dkpro-cassis", version("dkpro-cassis"))
show("whole", cas)
cas.crop_sofa_string(text.index("It"), len(text))
show("cropped", cas)
show("read back", load_cas_from_xmi(cas.to_xmi(), types))
PYTHON
seen=$("$folder/env/bin/python" "$folder/crop.py")
printf '%s\n' "$seen"

[ "$seen" = "dkpro-cassis 0.12.0
whole: chain ['4-9 quake', '19-21 It', '35-39 This'] index ['quake', 'It', 'This']
cropped: chain ['4-9 illed', '0-2 It', '16-20 This'] index ['It', 'This']
read back: chain ['4-9 illed', '0-2 It', '16-20 This'] index ['It', 'This']" ]
