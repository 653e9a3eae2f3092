#!/usr/bin/env bash
# Guess: `bcubed` wants the same items on both sides and raises KeyError where one side lacks some.
# Found: bcubed 1.5 raises it only where the key lacks an item (a mention the system made up). Items
# that the system lacks are passed over: recall is a mean over the system's own items, and stays 1
# with one mention of ten found. Put in as a singleton each, the missing nine cost what they should.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q bcubed==1.5 numpy==2.2.6

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

import bcubed

key = {mention: {"quake"} for mention in range(10)}
systems = {
    "all ten": key,
    "one of ten": {0: {"quake"}},
    "one of ten, nine alone": {0: {"quake"}} | {mention: {mention} for mention in range(1, 10)},
    "eleven": key | {10: {"quake"}},
}
print("bcubed", version("bcubed"))
for name, system in systems.items():
    try:
        scores = bcubed.precision(system, key), bcubed.recall(system, key)
        print(f"{name}: P {scores[0]:.2f} R {scores[1]:.2f}")
    except KeyError as error:
        print(f"{name}: KeyError {error}")
PYTHON
seen=$("$folder/env/bin/python" "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "bcubed 1.5
all ten: P 1.00 R 1.00
one of ten: P 1.00 R 1.00
one of ten, nine alone: P 1.00 R 0.10
eleven: KeyError 10" ]
