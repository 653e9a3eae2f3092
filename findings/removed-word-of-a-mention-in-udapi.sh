#!/usr/bin/env bash
# Guess: a word that is removed from its tree in udapi is also taken out of its mentions.
# Found: in udapi 0.5.2 the mention keeps the removed word, and it as head. Where it was the last
# word, the closing bracket goes with it: the file written has a bracket left open, of which udapi
# itself, reading it, warns and leaves the mention out. A chain of two is a singleton then.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q udapi==0.5.2

{
    printf '# newdoc id = d1\n# global.Entity = eid-etype-head-other\n'
    printf '# sent_id = d1-s1\n# text = Big quake hits\n'
    printf '1\tBig\tbig\tADJ\t_\t_\t2\tamod\t_\tEntity=(e1-event-2\n'
    printf '2\tquake\tquake\tNOUN\t_\t_\t3\tnsubj\t_\tEntity=e1)\n'
    printf '3\thits\thit\tVERB\t_\t_\t0\troot\t_\tEntity=(e2-event-1)\n\n'
    printf '# sent_id = d1-s2\n# text = It ended\n'
    printf '1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e1-event-1)\n'
    printf '2\tended\tend\tVERB\t_\t_\t0\troot\t_\t_\n\n'
} >"$folder/before.conllu"

cat >"$folder/remove.py" <<'PYTHON'
import sys
from importlib.metadata import version

from udapi.core.document import Document

before, after = sys.argv[1:]


def show(when, document):
    print(f"{when}:", end="")
    for mention in document.coref_mentions:
        words = " ".join(word.form for word in mention.words)
        print(f" {mention.entity.eid}[{words}, head {mention.head.form}]", end="")
    print()


print("udapi", version("udapi"))
document = Document(before)
show("read", document)
next(word for word in document.nodes if word.form == "quake").remove(children="rehang")
show("quake removed", document)
text = document.to_conllu_string()
print("written:", *(line.split()[-1] for line in text.splitlines() if "Entity=" in line))
with open(after, "w") as file:
    file.write(text)
show("read again", Document(after))
PYTHON
seen=$("$folder/env/bin/python" "$folder/remove.py" "$folder/before.conllu" "$folder/after.conllu")
printf '%s\n' "$seen"

[ "$seen" = "udapi 0.5.2
read: e1[Big quake, head quake] e2[hits, head hits] e1[It, head It]
quake removed: e1[Big quake, head quake] e2[hits, head hits] e1[It, head It]
written: Entity=(e1-event-2 Entity=(e2-event-1) Entity=(e1-event-1)
read again: e2[hits, head hits] e1[It, head It]" ]
