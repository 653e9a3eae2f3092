#!/usr/bin/env bash
# Guess: one version of snowballstemmer gives one stem for a word, whatever else is installed.
# Found: its function `stemmer` hands over to PyStemmer where that can be imported, which has stems
# of its own version. Dutch differs: `huizen` is `huis` by snowballstemmer 3.1.1 alone, and `huiz`
# beside PyStemmer 2.2.0.3. The classes (`dutch_stemmer.DutchStemmer`) do not hand over.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/alone"
python3 -m venv "$folder/beside"
"$folder/alone/bin/pip" install -q snowballstemmer==3.1.1
"$folder/beside/bin/pip" install -q snowballstemmer==3.1.1 PyStemmer==2.2.0.3

cat >"$folder/stems.py" <<'PYTHON'
from importlib.metadata import version

import snowballstemmer
from snowballstemmer.dutch_stemmer import DutchStemmer

words = ["huizen", "gekozen", "verliezen", "arrestatie", "bezoeken"]
by_function = snowballstemmer.stemmer("dutch").stemWords(words)
by_class = DutchStemmer().stemWords(words)
print(version("snowballstemmer"), "function:", *by_function, "| class:", *by_class)
PYTHON
alone=$("$folder/alone/bin/python" "$folder/stems.py")
beside=$("$folder/beside/bin/python" "$folder/stems.py")
printf 'alone:            %s\nbeside PyStemmer: %s\n' "$alone" "$beside"

[ "$alone" = "3.1.1 function: huis koos verlies arresteer bezoek | class: huis koos verlies arresteer bezoek" ]
[ "$beside" = "3.1.1 function: huiz gekoz verliez arrestatie bezoek | class: huis koos verlies arresteer bezoek" ]
