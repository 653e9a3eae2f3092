#!/usr/bin/env bash
# Guess: simplemma knows the commonest irregular verbs: `shot` is of `shoot`, `left` of `leave`.
# Found: simplemma 2.0.0 asks for no part of speech and keeps a word that can be a lemma of its own:
# `shot`, `left`, `felt`, `rose` and `won` stay as they are, where `struck` and `sank` do not. But
# `shooting` goes to `shoot`, so that it and `shot` are two lemmas, as are it and `shootings`.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q simplemma==2.0.0

cat >"$folder/lemmas.py" <<'PYTHON'
from importlib.metadata import version

import simplemma

groups = ["shot shooting shootings", "left leaving", "felt rose won", "struck sank fell killed"]
print("simplemma", version("simplemma"))
for group in groups:
    print(*(f"{word}:{simplemma.lemmatize(word, lang='en')}" for word in group.split()))
PYTHON
seen=$("$folder/env/bin/python" "$folder/lemmas.py")
printf '%s\n' "$seen"

[ "$seen" = "simplemma 2.0.0
shot:shot shooting:shoot shootings:shooting
left:left leaving:leave
felt:felt rose:rose won:won
struck:strike sank:sink fell:fall killed:kill" ]
