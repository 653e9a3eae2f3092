#!/usr/bin/env bash
# Guess: scikit-learn's cluster measures give 1 to an answer that is the key, all singletons too.
# Found: with scikit-learn 1.9.1 `fowlkes_mallows_score` gives it 0.0 where no two mentions corefer,
# without a warning: there is no pair to find, and it calls that 0. The Rand index, adjusted or not,
# mutual information and V-measure, which stand beside it in the same module, give 1.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q scikit-learn==1.9.1

cat >"$folder/score.py" <<'PYTHON'
import warnings

import sklearn
from sklearn import metrics

warnings.simplefilter("error")
names = ["adjusted_rand", "adjusted_mutual_info", "v_measure", "rand", "fowlkes_mallows"]
keys = {"a chain of two": [0, 0, 1], "one chain": [0, 0, 0], "singletons": [0, 1, 2], "one": [0]}
print("scikit-learn", sklearn.__version__)
for name, key in keys.items():
    scores = (float(getattr(metrics, f"{measure}_score")(key, key)) for measure in names)
    print(f"{name}:", *(f"{measure} {score:.1f}" for measure, score in zip(names, scores)))
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

rest="adjusted_rand 1.0 adjusted_mutual_info 1.0 v_measure 1.0 rand 1.0 fowlkes_mallows"
[ "$seen" = "scikit-learn 1.9.1
a chain of two: $rest 1.0
one chain: $rest 1.0
singletons: $rest 0.0
one: $rest 0.0" ]
