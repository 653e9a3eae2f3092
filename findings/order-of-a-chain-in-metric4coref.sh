#!/usr/bin/env bash
# Guess: a chain is the same to a measure of coreference in whatever order its mentions are listed.
# Found: metric4coref 0.0.2 takes the pairs of a chain as listed, (a, b) and not (b, a), for
# what it calls MUC. The key itself with each chain turned round gets a MUC of 0, and so loses a
# third of the CoNLL average; B3 and CEAF stay 1. With no pair on a side it divides by zero.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q metric4coref==0.0.2 numpy==2.2.6 scipy==1.15.3

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from metric4coref import metrics

key = [["quake", "It", "tremor"], ["killed", "deaths"], ["flood"]]
answers = {
    "as in the key": key,
    "chains in another order": key[::-1],
    "one mention moved": [["It", "tremor", "quake"], *key[1:]],
    "each chain turned": [chain[::-1] for chain in key],
    "no pair": [[mention] for chain in key for mention in chain],
}
print("metric4coref", version("metric4coref"))
for name, answer in answers.items():
    print(f"{name}:", end="")
    for measure in ("muc", "b_cubed", "ceaf", "conll_coref_f1"):
        try:
            score = getattr(metrics, measure)(answer, key)
        except ZeroDivisionError:
            print(f" {measure} ZeroDivisionError", end="")
            continue
        print(f" {measure} {score[-1] if measure != 'conll_coref_f1' else score:.2f}", end="")
    print()
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "metric4coref 0.0.2
as in the key: muc 1.00 b_cubed 1.00 ceaf 1.00 conll_coref_f1 1.00
chains in another order: muc 1.00 b_cubed 1.00 ceaf 1.00 conll_coref_f1 1.00
one mention moved: muc 0.50 b_cubed 1.00 ceaf 1.00 conll_coref_f1 0.83
each chain turned: muc 0.00 b_cubed 1.00 ceaf 1.00 conll_coref_f1 0.67
no pair: muc ZeroDivisionError b_cubed 0.67 ceaf 0.50 conll_coref_f1 ZeroDivisionError" ]
