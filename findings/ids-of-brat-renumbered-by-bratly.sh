#!/usr/bin/env bash
# Guess: bratly, which reads and writes brat's standoff files, gives back the ids of the file.
# Found: bratly 0.1.4 numbers the mentions anew by their place in the text while it reads, and the
# lines that name them follow. The file is sound in itself, but `T1` is another mention than before:
# what names a mention by file and id (a chain over documents, a table of answers) is now wrong.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q bratly==0.1.4 bratly-io-fs==0.1.4

printf 'The quake struck at dawn . It killed ten .\n' >"$folder/quake.txt"
{
    printf 'T1\tEvent 27 29\tIt\n'
    printf 'T2\tEvent 4 9\tquake\n'
    printf 'T7\tEvent 30 36\tkilled\n'
    printf 'R4\tCause Arg1:T1 Arg2:T7\n'
    printf '*\tEquiv T1 T2\n'
} >"$folder/quake.ann"

cat >"$folder/rewrite.py" <<'PYTHON'
import sys
from importlib.metadata import version

from bratly.io import read_and_load_ann_file, write_ann_file

folder = sys.argv[1]
write_ann_file(read_and_load_ann_file(f"{folder}/quake.ann"), f"{folder}/again.ann")
print("bratly", version("bratly"))
print(open(f"{folder}/again.ann").read().expandtabs(1))
PYTHON
seen=$("$folder/env/bin/python" "$folder/rewrite.py" "$folder")
printf '%s\n' "$seen"

[ "$seen" = "bratly 0.1.4
T1 Event 4 9 quake
T2 Event 27 29 It
T3 Event 30 36 killed
R1 Cause Arg1:T2 Arg2:T3
* Equiv T2 T1" ]
