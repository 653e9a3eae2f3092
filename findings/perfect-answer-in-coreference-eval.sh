#!/usr/bin/env bash
# Guess: a response that is the key itself gets 1 by CEAF-e, B3 and LEA, singletons or not.
# Found: coreference-eval 0.0.2 takes singletons out of the response but not out of the key before
# it aligns them for CEAF-e. The key scored against itself loses recall with each singleton of it,
# and so the CoNLL average; where all are singletons, each of the four measures is 0.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q coreference-eval==0.0.2 numpy==2.2.6

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from corefeval import get_metrics

pair, one, two = [[0, 1], [7, 7]], [[3, 4]], [[9, 9]]
keys = {"pair": [pair], "pair+1": [pair, one], "pair+2": [pair, one, two], "2 alone": [one, two]}
print("coreference-eval", version("coreference-eval"))
for name, key in keys.items():
    average, measures = get_metrics(key, key, verbose=False)
    recalls = (f"{measure} {scores['recall']:.3f}" for measure, scores in measures.items())
    print(f"{name}: CoNLL {average:.3f} | recall:", *recalls)
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "coreference-eval 0.0.2
pair: CoNLL 1.000 | recall: muc 1.000 b_cubed 1.000 ceafe 1.000 lea 1.000
pair+1: CoNLL 0.889 | recall: muc 1.000 b_cubed 1.000 ceafe 0.500 lea 1.000
pair+2: CoNLL 0.833 | recall: muc 1.000 b_cubed 1.000 ceafe 0.333 lea 1.000
2 alone: CoNLL 0.000 | recall: muc 0.000 b_cubed 0.000 ceafe 0.000 lea 0.000" ]
