#!/usr/bin/env bash
# Guess: neleval 3.1.1, which asks for any numpy, scores two clusterings with all of its metrics
# under numpy 2, because nothing in its metadata excludes that version.
# Found: MUC and B³ do. CEAF raises AttributeError (`numpy` has no attribute `int`) for some
# clusterings only: its assignment looks the name up in a late step, which many answers never reach.
# A right answer and a crossed one are scored; two chains that swap one mention raise. So a test on
# a few answers may pass.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q neleval==3.1.1 numpy==2.4.6 scipy==1.17.1

cat >"$folder/score.py" <<'PYTHON'
from importlib.metadata import version

from neleval import coref_metrics

print("neleval", version("neleval"), "numpy", version("numpy"))
key = {"a": {1}, "b": {2, 3, 4}}
answers = {
    "right": key,
    "crossed": {"c": {1, 2}, "d": {3, 4}},
    "swapped": {"c": {1, 3, 4}, "d": {2}},
}
for name, response in answers.items():
    for metric in ("muc", "b_cubed", "entity_ceaf"):
        try:
            p_num, p_den, r_num, r_den = getattr(coref_metrics, metric)(key, response)
            print(f"{name}: {metric} P {p_num / p_den:.2f} R {r_num / r_den:.2f}")
        except AttributeError as error:
            print(f"{name}: {metric} raises {str(error).split(chr(10))[0][:40]}")
PYTHON
seen=$("$folder/env/bin/python" -W ignore "$folder/score.py")
printf '%s\n' "$seen"

[ "$seen" = "neleval 3.1.1 numpy 2.4.6
right: muc P 1.00 R 1.00
right: b_cubed P 1.00 R 1.00
right: entity_ceaf P 1.00 R 1.00
crossed: muc P 0.50 R 0.50
crossed: b_cubed P 0.75 R 0.67
crossed: entity_ceaf P 0.73 R 0.73
swapped: muc P 0.50 R 0.50
swapped: b_cubed P 0.67 R 0.67
swapped: entity_ceaf raises module 'numpy' has no attribute 'int'." ]
