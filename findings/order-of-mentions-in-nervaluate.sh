#!/usr/bin/env bash
# Guess: nervaluate's counts do not depend on the order in which the mentions of a text are listed.
# Found: with nervaluate 1.2.1 they do where mentions of the key overlap. Listed by place, both are
# found in part; listed the other way, one of the two is missed and an answer is spurious, so that
# partial precision falls from 0.5 to 0.25. By type alone (`ent_type`) both orders find the two.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q nervaluate==1.2.1

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from nervaluate import Evaluator


def spans(*places):
    return [{"label": "EVENT", "start": start, "end": end} for start, end in places]


answers = spans((8, 10), (15, 20))
keys = {"by place": spans((0, 10), (8, 20)), "turned": spans((8, 20), (0, 10))}
print("nervaluate", version("nervaluate"))
for name, key in keys.items():
    results = Evaluator([key], [answers], tags=["EVENT"], loader="dict").evaluate()["overall"]
    for scheme in ("partial", "ent_type"):
        result = results[scheme]
        print(f"{name}, {scheme}: correct {result.correct} partial {result.partial}", end=" ")
        print(f"missed {result.missed} spurious {result.spurious} P {result.precision:.2f}")
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "nervaluate 1.2.1
by place, partial: correct 0 partial 2 missed 0 spurious 0 P 0.50
by place, ent_type: correct 2 partial 0 missed 0 spurious 0 P 1.00
turned, partial: correct 0 partial 1 missed 1 spurious 1 P 0.25
turned, ent_type: correct 2 partial 0 missed 0 spurious 0 P 1.00" ]
