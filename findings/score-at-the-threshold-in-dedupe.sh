#!/usr/bin/env bash
# Guess: dedupe links two mentions whose score is the threshold, or it does not: one of the two.
# Found: dedupe 3.0.3 does both. A pair that no other pair touches needs more than the threshold;
# pairs that share a mention are clustered by distance, where a score equal to it is enough. At 0.5
# two mentions are no chain and three are one, all pairs 0.5. With scores of a table or of votes,
# which are often equal to the threshold, chains of two are lost, and only these.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q dedupe==3.0.3 numpy==2.4.6 scipy==1.17.1

cat >"$folder/link.py" <<'PYTHON'
from importlib.metadata import version
from itertools import combinations

import numpy
from dedupe.clustering import cluster

FIELDS = [("pairs", "<U8", 2), ("score", "f4")]
print("dedupe", version("dedupe"), "threshold 0.5")
for mentions in ("ab", "abc", "abcd"):
    for score in (0.25, 0.5, 0.75):
        pairs = [(pair, score) for pair in combinations(mentions, 2)]
        chains = cluster(numpy.array(pairs, dtype=FIELDS), 0.5)
        shown = ["".join(map(str, chain)) for chain, _ in chains]
        print(f"{mentions}, all pairs {score}:", *shown or ["no chain"])
PYTHON
seen=$("$folder/env/bin/python" "$folder/link.py")
printf '%s\n' "$seen"

[ "$seen" = "dedupe 3.0.3 threshold 0.5
ab, all pairs 0.25: no chain
ab, all pairs 0.5: no chain
ab, all pairs 0.75: ab
abc, all pairs 0.25: no chain
abc, all pairs 0.5: abc
abc, all pairs 0.75: abc
abcd, all pairs 0.25: no chain
abcd, all pairs 0.5: abcd
abcd, all pairs 0.75: abcd" ]
