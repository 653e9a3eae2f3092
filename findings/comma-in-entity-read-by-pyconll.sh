#!/usr/bin/env bash
# Guess: pyconll writes a value of MISC, here `Entity=` of CorefUD, as it read it.
# Found: pyconll 3.3.1 cuts each value at its commas, keeps the pieces as a set, and writes them
# sorted. Minimal spans (`1,2`) and titles of pages have commas. Where two mentions open at a word,
# the minimal spans mix: e2's `1,2` becomes `1`. Where a mention closes before one with a title, a
# piece of the title gets to the closing bracket, and udapi 0.5.2 cannot read the file any more.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q pyconll==3.3.1 udapi==0.5.2

{
    printf '# newdoc id = d1\n# global.Entity = eid-etype-head-minspan-identity\n'
    printf '# sent_id = d1-s1\n# text = Mount Etna eruption\n'
    printf '1\tMount\tmount\tPROPN\t_\t_\t3\tcompound\t_\tEntity=(e1-event-3-2,3(e2-place-1-1,2\n'
    printf '2\tEtna\tEtna\tPROPN\t_\t_\t1\tflat\t_\tEntity=e2)\n'
    printf '3\teruption\teruption\tNOUN\t_\t_\t0\troot\t_\tEntity=e1)\n\n'
} >"$folder/spans.conllu"
{
    printf '# newdoc id = d2\n# global.Entity = eid-etype-head-minspan-identity\n'
    printf '# sent_id = d2-s1\n# text = East of Zurich city\n'
    printf '1\tEast\teast\tADV\t_\t_\t0\troot\t_\tEntity=(e1-place-1-1\n'
    printf '2\tof\tof\tADP\t_\t_\t4\tcase\t_\t_\n'
    printf '3\tZurich\tZurich\tPROPN\t_\t_\t4\tcompound\t_\t'
    printf 'Entity=e1)(e2-place-2-2-Zurich,_Canton_of\n'
    printf '4\tcity\tcity\tNOUN\t_\t_\t1\tobl\t_\tEntity=e2)\n\n'
} >"$folder/title.conllu"

cat >"$folder/rewrite.py" <<'PYTHON'
import sys
from importlib.metadata import version

import pyconll
from udapi.core.document import Document

folder = sys.argv[1]
print("pyconll", version("pyconll"), "udapi", version("udapi"))
for name in ("spans", "title"):
    before, after = f"{folder}/{name}.conllu", f"{folder}/{name}-again.conllu"
    with open(after, "w") as file:
        pyconll.load_from_file(before).write(file)
    for path in (before, after):
        print(name, *(line.split()[-1] for line in open(path) if "Entity=" in line))
        try:
            mentions = Document(path).coref_mentions
        except ValueError as error:
            print("  ValueError:", error)
            continue
        for mention in mentions:
            minimal = mention.other["minspan"].replace("%2C", ",")
            print(f"  {mention.entity.eid} {mention.span} minimal {minimal}")
PYTHON
seen=$("$folder/env/bin/python" "$folder/rewrite.py" "$folder")
printf '%s\n' "$seen"

[ "$seen" = "pyconll 3.3.1 udapi 0.5.2
spans Entity=(e1-event-3-2,3(e2-place-1-1,2 Entity=e2) Entity=e1)
  e1 1-3 minimal 2,3
  e2 1-2 minimal 1,2
spans Entity=(e1-event-3-2,2,3(e2-place-1-1 Entity=e2) Entity=e1)
  e1 1-3 minimal 2,2,3
  e2 1-2 minimal 1
title Entity=(e1-place-1-1 Entity=e1)(e2-place-2-2-Zurich,_Canton_of Entity=e2)
  e1 1-3 minimal 1
  e2 3-4 minimal 2
title Entity=(e1-place-1-1 Entity=_Canton_of,e1)(e2-place-2-2-Zurich Entity=e2)
  ValueError: Mention _Canton_of,e1 closed at <d2-s1#3, Zurich>, but not opened." ]
