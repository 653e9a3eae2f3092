#!/usr/bin/env bash
# Guess: gatenlp reads the features of an annotation from GATE's own XML as GATE wrote them, or says
# which it cannot read.
# Found: gatenlp 1.0.8 reads each java.lang.Boolean as True, `false` too, without a word, so that a
# filter on `generic` or `singleton` takes all mentions or none. In a list, as which GATE keeps the
# ids of a chain (`matches`), false is False. A java.lang.Double, say a confidence, is left out: it
# is logged, and the mention has no such feature.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q gatenlp==1.0.8 requests==2.34.2

cat >"$folder/read.py" <<'PYTHON'
import logging
import sys
from html import escape
from importlib.metadata import version

from gatenlp import Document

logging.disable(logging.CRITICAL)
path = f"{sys.argv[1]}/quake.xml"


def feature(name, kind, value):
    name = f'<Name className="java.lang.String">{name}</Name>'
    return f'<Feature>{name}<Value className="{kind}">{escape(str(value))}</Value></Feature>'


def wrap(items):
    """A list as GATE writes it: XML of its own, as the text of the value."""
    tag = "gate.corpora.ObjectWrapper"
    return f'<{tag}><value class="list">{items}</value></{tag}>'


def mention(number, start, end, generic):
    features = [
        feature("chain", "java.lang.Integer", 3),
        feature("generic", "java.lang.Boolean", generic),
        feature("confidence", "java.lang.Double", 0.75),
        feature("matches", "gate.corpora.ObjectWrapper", wrap("<int>3</int><int>5</int>")),
        feature("generics", "gate.corpora.ObjectWrapper", wrap(f"<boolean>{generic}</boolean>")),
    ]
    place = f'StartNode="{start}" EndNode="{end}"'
    return f'<Annotation Id="{number}" Type="Mention" {place}>{"".join(features)}</Annotation>'


with open(path, "w") as file:
    file.write(
        '<?xml version="1.0" encoding="utf-8"?>\n<GateDocument version="3"><GateDocumentFeatures/>'
        '<TextWithNodes>The <Node id="4"/>quake<Node id="9"/> struck . <Node id="19"/>It'
        '<Node id="21"/> killed ten .</TextWithNodes><AnnotationSet>'
    )
    file.write(mention(3, 4, 9, "false") + mention(5, 19, 21, "true"))
    file.write("</AnnotationSet></GateDocument>\n")
print("gatenlp", version("gatenlp"))
document = Document.load(path, fmt="gatexml")
for annotation in document.annset():
    print(annotation.id, document[annotation], dict(annotation.features))
PYTHON
seen=$("$folder/env/bin/python" "$folder/read.py" "$folder")
printf '%s\n' "$seen"

[ "$seen" = "gatenlp 1.0.8
3 quake {'chain': 3, 'generic': True, 'matches': [3, 5], 'generics': [False]}
5 It {'chain': 3, 'generic': True, 'matches': [3, 5], 'generics': [True]}" ]
