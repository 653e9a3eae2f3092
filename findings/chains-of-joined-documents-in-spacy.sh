#!/usr/bin/env bash
# Guess: `Doc.from_docs` of spaCy, which joins documents, keeps the groups of `doc.spans` apart
# where two documents have a group of the same name, or refuses.
# Found: spaCy 3.8.18 makes one group of them, without a warning. Coreference components number
# their chains anew in each document (`coref_clusters_1`), so that the first chain of each document
# becomes one chain over all. The way back, `Span.as_doc`, has no groups at all; it has `doc.ents`.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q spacy==3.8.18

cat >"$folder/join.py" <<'PYTHON'
import spacy
from spacy.tokens import Doc, Span

nlp = spacy.blank("en")


def show(when, doc):
    groups = (f"{name}: " + ", ".join(map(str, group)) for name, group in doc.spans.items())
    print(f"{when} | groups:", *groups, "| ents:", *doc.ents)


quake, flood = nlp("The quake struck . It killed ten ."), nlp("A flood came . It ended .")
quake.spans["coref_clusters_1"] = [quake[0:2], quake[4:5]]
flood.spans["coref_clusters_1"] = [flood[0:2], flood[4:5]]
quake.ents, flood.ents = [Span(quake, 1, 2, "EVENT")], [Span(flood, 1, 2, "EVENT")]
joined = Doc.from_docs([quake, flood])
print("spacy", spacy.__version__)
show("first", quake)
show("second", flood)
show("joined", joined)
show("second again", joined[len(quake) :].as_doc())
PYTHON
seen=$("$folder/env/bin/python" "$folder/join.py")
printf '%s\n' "$seen"

[ "$seen" = "spacy 3.8.18
first | groups: coref_clusters_1: The quake, It | ents: quake
second | groups: coref_clusters_1: A flood, It | ents: flood
joined | groups: coref_clusters_1: The quake, It, A flood, It | ents: quake flood
second again | groups: | ents: flood" ]
