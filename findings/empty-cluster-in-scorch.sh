#!/usr/bin/env bash
# Guess: an empty cluster changes no score of scorch, as it has no mention and no link.
# Found: scorch's own reader leaves one behind where a chain has only a word that another chain has
# too, and its scorer cannot take it. In scorch 0.2.0 MUC counts a cluster's links as its size less
# one, for an empty one -1: the key against itself has recall and precision 2 with a chain of three
# beside it, and divides by zero with a chain of two. B3 and CEAF-e divide by zero with either.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q scorch==0.2.0 numpy==2.2.6

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from scorch import conll, scores

columns = {
    "three": ["(1)", "(1)", "(1)"],
    "three and none": ["(1)", "(1)", "(1)|(3)"],
    "two and none": ["(1)", "-", "(1)|(3)"],
}
print("scorch", version("scorch"))
for name, column in columns.items():
    rows = [f"d 0 {number} word {cell}" for number, cell in enumerate(column)]
    [(_, chains)] = conll.parse_file(["#begin document (d); part 000", *rows, "", "#end document"])
    key = [set(mentions) for mentions in chains.values()]
    print(f"{name}: sizes", *map(len, key))
    for measure in ("muc", "b_cubed", "ceaf_e"):
        try:
            recall, precision, f1 = getattr(scores, measure)(key, key)
            print(f"  {measure}: R {recall:.2f} P {precision:.2f} F1 {f1:.2f}")
        except ZeroDivisionError:
            print(f"  {measure}: ZeroDivisionError")
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "scorch 0.2.0
three: sizes 3
  muc: R 1.00 P 1.00 F1 1.00
  b_cubed: R 1.00 P 1.00 F1 1.00
  ceaf_e: R 1.00 P 1.00 F1 1.00
three and none: sizes 3 0
  muc: R 2.00 P 2.00 F1 2.00
  b_cubed: ZeroDivisionError
  ceaf_e: ZeroDivisionError
two and none: sizes 2 0
  muc: ZeroDivisionError
  b_cubed: ZeroDivisionError
  ceaf_e: ZeroDivisionError" ]
