#!/usr/bin/env bash
# Guess: spaCy moves the groups of `doc.spans`, where coreference clusters are kept, along with the
# tokens when its retokenizer merges some, as it does with `doc.ents`.
# Found: spaCy 3.8.18 leaves them at the old token numbers. After `New York` became one token, each
# later mention of a cluster is the word after it, without a warning. `doc.ents` is moved.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q spacy==3.8.18

cat >"$folder/merge.py" <<'PYTHON'
import spacy
from spacy.tokens import Span

nlp = spacy.blank("en")
doc = nlp("The quake hit New York and it killed ten .")
doc.spans["cluster"] = [doc[1:2], doc[6:7]]
doc.spans["place"] = [doc[3:5]]
doc.ents = [Span(doc, 3, 5, "PLACE"), Span(doc, 6, 7, "EVENT")]


def show(when):
    groups = {name: [span.text for span in group] for name, group in doc.spans.items()}
    print(when, groups, [entity.text for entity in doc.ents])


print("spacy", spacy.__version__)
show("before:")
with doc.retokenize() as retokenizer:
    retokenizer.merge(doc[3:5])
show("after:")
PYTHON
seen=$("$folder/env/bin/python" "$folder/merge.py")
printf '%s\n' "$seen"

[ "$seen" = "spacy 3.8.18
before: {'cluster': ['quake', 'it'], 'place': ['New York']} ['New York', 'it']
after: {'cluster': ['quake', 'killed'], 'place': ['New York and']} ['New York', 'it']" ]
