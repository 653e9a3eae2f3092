#!/usr/bin/env bash
# Guess: conllu splits a MISC attribute at its first `=`, so that a value with another `=` in it
# comes back whole when the sentence is written.
# Found: conllu 6.0.0 drops all from the second `=` on. In `Entity=` that is the end of a mention,
# its closing bracket, and each further mention that opens at the word. Of the file itself udapi
# 0.5.2 reads four mentions; of what conllu wrote, two (it warns of e2; of e4 nothing is left).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q conllu==6.0.0 udapi==0.5.2

# The fourth field is free (`other`): here `source:line=3`, with the `=` inside the value.
{
    printf '# newdoc id = d1\n# global.Entity = eid-etype-head-other\n'
    printf '# sent_id = d1-s1\n# text = Quake kills ten people\n'
    printf '1\tQuake\tquake\tNOUN\t_\t_\t2\tnsubj\t_\tEntity=(e1-event-1)\n'
    printf '2\tkills\tkill\tVERB\t_\t_\t0\troot\t_\tEntity=(e2-event-1-source:line=3)\n'
    printf '3\tten\tten\tNUM\t_\t_\t4\tnummod\t_\tEntity=(e3-person-2-source:line=3(e4-number-1)\n'
    printf '4\tpeople\tpeople\tNOUN\t_\t_\t2\tobj\t_\tEntity=e3)\n\n'
} >"$folder/before.conllu"

cat >"$folder/show.py" <<'PYTHON'
import sys

import conllu
from udapi.core.document import Document

before, after = sys.argv[1:]
with open(before) as given, open(after, "w") as written:
    written.writelines(sentence.serialize() for sentence in conllu.parse(given.read()))
for line in open(after):
    if "Entity=" in line:
        print(line.split()[-1])
for path in (before, after):
    print(*(mention.entity.eid for mention in Document(path).coref_mentions))
PYTHON
"$folder/env/bin/pip" list --format=freeze | grep -E '^(conllu|udapi)=='
seen=$("$folder/env/bin/python" "$folder/show.py" "$folder/before.conllu" "$folder/after.conllu")
printf '%s\n' "$seen"

[ "$seen" = "Entity=(e1-event-1)
Entity=(e2-event-1-source:line
Entity=(e3-person-2-source:line
Entity=e3)
e1 e2 e3 e4
e1 e3" ]
