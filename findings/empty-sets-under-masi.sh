#!/usr/bin/env bash
# Guess: NLTK's MASI distance of two empty sets is 0, as they are the same, so that alpha over sets
# of chains can be had where an annotator puts a mention in no chain at all.
# Found: with nltk 3.10.4 `masi_distance` of two empty sets divides by zero, and alpha compares each
# label with itself: one empty set by one of two annotators is enough to get no alpha at all.
# A label of its own in place of the empty set helps.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q nltk==3.10.4

cat >"$folder/agree.py" <<'PYTHON'
from importlib.metadata import version

from nltk.metrics import masi_distance
from nltk.metrics.agreement import AnnotationTask


def attempt(function, *arguments):
    try:
        return f"{function(*arguments):.3f}"
    except ZeroDivisionError:
        return "ZeroDivisionError"


def alpha(first, second):
    """Alpha of two annotators who put each mention in a set of chains, each chain a letter."""
    rows = [("first", mention, frozenset(chains)) for mention, chains in enumerate(first)]
    rows += [("second", mention, frozenset(chains)) for mention, chains in enumerate(second)]
    return AnnotationTask(rows, distance=masi_distance).alpha()


print("nltk", version("nltk"))
print("MASI of {a} and {a}:", attempt(masi_distance, {"a"}, {"a"}))
print("MASI of {} and {a}:", attempt(masi_distance, set(), {"a"}))
print("MASI of {} and {}:", attempt(masi_distance, set(), set()))
print("alpha, no set empty:", attempt(alpha, ["a", "ab", "c"], ["a", "a", "c"]))
print("alpha, one set empty:", attempt(alpha, ["a", "ab", ""], ["a", "a", "c"]))
print("alpha, - for empty:", attempt(alpha, ["a", "ab", "-"], ["a", "a", "c"]))
PYTHON
seen=$("$folder/env/bin/python" "$folder/agree.py")
printf '%s\n' "$seen"

[ "$seen" = "nltk 3.10.4
MASI of {a} and {a}: 0.000
MASI of {} and {a}: 1.000
MASI of {} and {}: ZeroDivisionError
alpha, no set empty: 0.667
alpha, one set empty: ZeroDivisionError
alpha, - for empty: 0.242" ]
