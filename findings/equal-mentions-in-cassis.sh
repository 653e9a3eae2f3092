#!/usr/bin/env bash
# Guess: two annotations of dkpro-cassis are equal only where their places and features are.
# Found: in dkpro-cassis 0.12.0 all annotations of one type are equal: `==` compares the names of
# their features, not the values. Any mention is `in` any list of mentions, and `index` gives 0 for
# each, so that every link points at the first. In a set they are one where their ids in the file
# are: of key and response, whose ids start anew, each pair of the same number counts as found.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q dkpro-cassis==0.12.0

cat >"$folder/compare.py" <<'PYTHON'
from importlib.metadata import version

from cassis import Cas, TypeSystem

TEXT = "The quake struck . It killed ten ."
types = TypeSystem()
Mention = types.create_type("demo.Mention", "uima.tcas.Annotation")
types.create_feature(Mention, "chain", "uima.cas.String")


def annotate(**chains):
    """The mentions of a CAS, a word each, in the chain that is given for the word."""
    cas = Cas(types, sofa_string=TEXT)
    for word, chain in chains.items():
        begin = TEXT.index(word)
        cas.add(Mention(begin=begin, end=begin + len(word), chain=chain))
    return cas.select("demo.Mention")


key = annotate(quake="e1", struck="e2", It="e1")
response = annotate(The="e7", killed="e8", ten="e9")
print("dkpro-cassis", version("dkpro-cassis"))
print("quake == struck:", key[0] == key[1])
print("index in the key:", *(key.index(mention) for mention in key))
print("of the response in the key, by list:", sum(mention in key for mention in response))
print("of the response in the key, by set:", len(set(key) & set(response)))
spans = [{(mention.begin, mention.end) for mention in side} for side in (key, response)]
print("of the response in the key, by place:", len(spans[0] & spans[1]))
PYTHON
seen=$("$folder/env/bin/python" "$folder/compare.py")
printf '%s\n' "$seen"

[ "$seen" = "dkpro-cassis 0.12.0
quake == struck: True
index in the key: 0 0 0
of the response in the key, by list: 3
of the response in the key, by set: 3
of the response in the key, by place: 0" ]
