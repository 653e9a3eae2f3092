#!/usr/bin/env bash
# Guess: a cell `(3)|(1)` of a coreference column puts the word in both chains for who reads it.
# Found: scorch 0.2.0 and conll-transform 0.1.0 both give it to one chain, and not to the same one.
# conll-transform: the one written first in the cell (it warns). scorch: the one whose first mention
# comes first in the document, without a word; and it stops with a RuntimeError where the other
# chain is left without a mention by that.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q scorch==0.2.0 conll-transform==0.1.0 numpy==2.2.6

cat >"$folder/read.py" <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import conll_transform
from scorch import conll

warnings.simplefilter("ignore")
path = sys.argv[1]
print("scorch", version("scorch"), "conll-transform", version("conll-transform"))
for cells in (["(1)", "(3)", "(3)|(1)"], ["(1)", "(3)", "(1)|(3)"], ["(1)|(3)", "(4)", "(4)"]):
    with open(path, "w") as file:
        print("#begin document (d); part 000", file=file)
        for number, cell in enumerate(cells):
            print("d", 0, number, "word", cell, file=file)
        print("", "#end document", sep="\n", file=file)
    [document] = conll_transform.read_file(path).values()
    chains = conll_transform.compute_chains(document)
    print(*cells)
    print("  conll-transform:", *([start for _, start, _ in chain] for chain in chains))
    try:
        [(_, chains)] = conll.parse_file(open(path).read().splitlines())
        print("  scorch:", *([int(start) for _, start, _ in chain] for chain in chains.values()))
    except RuntimeError as error:
        print("  scorch: RuntimeError:", error)
PYTHON
seen=$("$folder/env/bin/python" "$folder/read.py" "$folder/words.conll")
printf '%s\n' "$seen"

[ "$seen" = "scorch 0.2.0 conll-transform 0.1.0
(1) (3) (3)|(1)
  conll-transform: [0] [1, 2]
  scorch: [0, 2] [1]
(1) (3) (1)|(3)
  conll-transform: [0, 2] [1]
  scorch: [0, 2] [1]
(1)|(3) (4) (4)
  conll-transform: [0] [1, 2]
  scorch: RuntimeError: OrderedDict mutated during iteration" ]
