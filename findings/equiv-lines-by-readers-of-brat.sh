#!/usr/bin/env bash
# Guess: a reader of brat's standoff files gives back each `Equiv` line, which is how brat writes
# mentions that corefer, as one group of mentions.
# Found: of three readers one does, bioc 2.1. mendelai-brat-parser 0.0.11, which returns `groups`,
# has nothing of them, without a word: each mention is a singleton. pybrat 0.1.7 makes a relation of
# each pair, the same ones for a line of three mentions as for three lines of two.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q bioc==2.1 mendelai-brat-parser==0.0.11 \
    smart-open==7.7.1 pybrat==0.1.7

mkdir "$folder/texts"
printf 'The quake struck . It killed ten . The tremor and the deaths .\n' >"$folder/texts/quake.txt"
{
    printf 'T1\tEvent 4 9\tquake\n'
    printf 'T2\tEvent 19 21\tIt\n'
    printf 'T3\tEvent 39 45\ttremor\n'
    printf 'T4\tEvent 22 28\tkilled\n'
    printf 'T5\tEvent 54 60\tdeaths\n'
    printf '*\tEquiv T1 T2 T3\n'
    printf '*\tEquiv T4 T5\n'
} >"$folder/texts/quake.ann"

cat >"$folder/read.py" <<'PYTHON'
import sys
from importlib.metadata import version

from bioc import brat
from brat_parser import get_entities_relations_attributes_groups
from pybrat.parser import BratParser

folder = sys.argv[1]
print("bioc", version("bioc"), end=": ")
with open(f"{folder}/quake.txt") as text, open(f"{folder}/quake.ann") as annotations:
    document = brat.load(text, annotations)
print(*(" ".join(sorted(line.argids)) for line in document.equiv_relations), sep=", ")

print("mendelai-brat-parser", version("mendelai-brat-parser"), end=": ")
mentions, relations, _, groups = get_entities_relations_attributes_groups(f"{folder}/quake.ann")
print(f"mentions {len(mentions)} relations {len(relations)} groups {len(groups)}")

print("pybrat", version("pybrat"), end=": ")
[example] = BratParser().parse(folder)
print(*(relation.id for relation in example.relations), sep=", ")
PYTHON
seen=$("$folder/env/bin/python" "$folder/read.py" "$folder/texts")
printf '%s\n' "$seen"

[ "$seen" = "bioc 2.1: T1 T2 T3, T4 T5
mendelai-brat-parser 0.0.11: mentions 5 relations 0 groups 0
pybrat 0.1.7: Equiv:T1-T2, Equiv:T1-T3, Equiv:T2-T3, Equiv:T4-T5" ]
