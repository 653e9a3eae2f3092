#!/usr/bin/env bash
# Guess: two mentions of which one ends where the other starts share nothing, so that nervaluate,
# which takes spans as Prodigy writes them (`end` is the first character after), matches neither.
# Found: nervaluate 1.2.1 takes `end` as part of the mention. The answer `storm` for the key `Snow`
# in `Snowstorm` is half right by `partial`, and right by type: precision and recall 1 with no
# character in common. With one character between them, both schemes give 0.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q nervaluate==1.2.1

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from nervaluate import Evaluator


def span(text, words):
    start = text.index(words)
    return {"label": "EVENT", "start": start, "end": start + len(words)}


print("nervaluate", version("nervaluate"))
for text, gold, answer in (("Snowstorm", "Snow", "storm"), ("Snow storm", "Snow", "storm")):
    key, response = span(text, gold), span(text, answer)
    shared = set(range(key["start"], key["end"])) & set(range(response["start"], response["end"]))
    print(f"{text}: {gold} / {answer}, characters shared: {len(shared)}")
    evaluator = Evaluator([[key]], [[response]], tags=["EVENT"], loader="dict")
    results = evaluator.evaluate()["overall"]
    for scheme in ("partial", "ent_type"):
        result = results[scheme]
        print(f"  {scheme}: correct {result.correct} partial {result.partial}", end=" ")
        print(f"missed {result.missed} P {result.precision:.2f} R {result.recall:.2f}")
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "nervaluate 1.2.1
Snowstorm: Snow / storm, characters shared: 0
  partial: correct 0 partial 1 missed 0 P 0.50 R 0.50
  ent_type: correct 1 partial 0 missed 0 P 1.00 R 1.00
Snow storm: Snow / storm, characters shared: 0
  partial: correct 0 partial 0 missed 1 P 0.00 R 0.00
  ent_type: correct 0 partial 0 missed 1 P 0.00 R 0.00" ]
