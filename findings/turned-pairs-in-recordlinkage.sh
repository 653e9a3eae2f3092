#!/usr/bin/env bash
# Guess: a link of two mentions of one table is the same link whichever of the two is named first.
# Found: recordlinkage 0.16 compares pairs as they are written, and finds none of the key where the
# key has (1, 2) and the links (2, 1): precision and recall 0, and F1 a division by zero. Its own
# pairs of a table with itself name the later one first, pairs by `itertools` the earlier one. Put
# in one order by hand, the same links get what they should.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q recordlinkage==0.16 pandas==2.3.3 numpy==2.2.6

cat >"$folder/score.py" <<'PYTHON'
import logging
from importlib.metadata import version
from itertools import combinations

import pandas
import recordlinkage

logging.disable(logging.CRITICAL)
mentions = pandas.DataFrame({"lemma": ["quake", "quake", "quake", "hit", "hit"]})
chains = [[0, 1, 2], [3, 4]]
key = pandas.MultiIndex.from_tuples(
    [pair for chain in chains for pair in combinations(chain, 2)]
)
index = recordlinkage.Index()
index.block("lemma")
links = index.index(mentions)
ordered = pandas.MultiIndex.from_tuples([tuple(sorted(pair)) for pair in links])
print("recordlinkage", version("recordlinkage"))
for name, pairs in {"key": key, "links": links, "links, ordered": ordered}.items():
    print(f"{name}:", *sorted((int(first), int(second)) for first, second in pairs), end=" ")
    print("P", recordlinkage.precision(key, pairs), end=" ")
    print("R", recordlinkage.recall(key, pairs), end=" ")
    try:
        print("F1", recordlinkage.fscore(key, pairs))
    except ZeroDivisionError:
        print("F1 ZeroDivisionError")
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "recordlinkage 0.16
key: (0, 1) (0, 2) (1, 2) (3, 4) P 1.0 R 1.0 F1 1.0
links: (1, 0) (2, 0) (2, 1) (4, 3) P 0.0 R 0.0 F1 ZeroDivisionError
links, ordered: (0, 1) (0, 2) (1, 2) (3, 4) P 1.0 R 1.0 F1 1.0" ]
