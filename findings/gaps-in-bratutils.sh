#!/usr/bin/env bash
# Guess: bratutils, which compares two annotators' brat files, finds a mention with a gap the same
# in two copies of one file.
# Found: bratutils 0.2.2 cannot read a mention with a gap (`4 8;18 20`, as brat writes `gave .. up`)
# at all: ValueError, and no agreement for the other mentions of the file either.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q bratutils==0.2.2

# `She gave the plan up . It ended .`
printf 'T1\tEvent 4 20\tgave the plan up\nT2\tEvent 23 25\tIt\n' >"$folder/whole.ann"
printf 'T1\tEvent 4 8;18 20\tgave up\nT2\tEvent 23 25\tIt\n' >"$folder/gap.ann"

cat >"$folder/agree.py" <<'PYTHON'
import logging
import sys
from importlib.metadata import version

from bratutils import agreement

logging.disable(logging.CRITICAL)
print("bratutils", version("bratutils"))
for name in ("whole", "gap"):
    try:
        gold = agreement.Document(f"{sys.argv[1]}/{name}.ann")
        gold.make_gold()
        other = agreement.Document(f"{sys.argv[1]}/{name}.ann")
        table = other.compare_to_gold(gold)
        print(f"{name}: correct {table.cor} of {table.pos}")
    except ValueError as error:
        print(f"{name}: ValueError: {error}")
PYTHON
seen=$("$folder/env/bin/python" "$folder/agree.py" "$folder")
printf '%s\n' "$seen"

[ "$seen" = "bratutils 0.2.2
whole: correct 2 of 2
gap: ValueError: invalid literal for int() with base 10: '8;18'" ]
