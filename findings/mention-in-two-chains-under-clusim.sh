#!/usr/bin/env bash
# Guess: clusim, which compares clusterings that overlap as well as others, gives 1 by the Jaccard
# and the Rand index to a key against itself where a mention is in two chains.
# Found: clusim 0.4 counts such a key's pairs so that both indices pass 1, which their description
# rules out: Jaccard 2.33, Rand 1.67 for a mention in two chains of two, and normalised mutual
# information is below 0. Its variant for overlaps, `onmi`, gives 1. The omega index, for overlaps
# too, takes no names of mentions: with letters it is an IndexError, with numbers from 0 it is 1.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q clusim==0.4 numpy==2.4.6 scipy==1.17.1

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from clusim import sim
from clusim.clustering import Clustering

keys = {
    "two chains": [["a", "b"], ["c"]],
    "b in two chains": [["a", "b"], ["b", "c"]],
    "1 in two chains": [[0, 1], [1, 2]],
}
print("clusim", version("clusim"))
for name, chains in keys.items():
    key = Clustering(clu2elm_dict={number: set(chain) for number, chain in enumerate(chains)})
    print(f"{name}:", end="")
    for measure in ("jaccard_index", "rand_index", "nmi", "onmi", "omega_index"):
        try:
            print(f" {measure} {getattr(sim, measure)(key, key):.2f}", end="")
        except IndexError:
            print(f" {measure} IndexError", end="")
    print()
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "clusim 0.4
two chains: jaccard_index 1.00 rand_index 1.00 nmi 1.00 onmi 1.00 omega_index IndexError
b in two chains: jaccard_index 2.33 rand_index 1.67 nmi -0.35 onmi 1.00 omega_index IndexError
1 in two chains: jaccard_index 2.33 rand_index 1.67 nmi -0.35 onmi 1.00 omega_index 1.00" ]
