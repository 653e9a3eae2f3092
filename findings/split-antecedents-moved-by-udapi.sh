#!/usr/bin/env bash
# Guess: a CorefUD file that udapi reads and writes without a change is the same file again.
# Found: in udapi 0.5.2 split antecedents belong to the entity, not to the word they stand on. Given
# at the second mention of `they`, they are written at the first one, here before either
# antecedent is named. What a file says of one mention becomes a fact about all of them.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q udapi==0.5.2

{
    printf '# newdoc id = d1\n# global.Entity = eid-etype-head-other\n'
    printf '# sent_id = d1-s1\n# text = They met\n'
    printf '1\tThey\tthey\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1)\n'
    printf '2\tmet\tmeet\tVERB\t_\t_\t0\troot\t_\t_\n\n'
    printf '# sent_id = d1-s2\n# text = Ann saw Bo\n'
    printf '1\tAnn\tAnn\tPROPN\t_\t_\t2\tnsubj\t_\tEntity=(e2-person-1)\n'
    printf '2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_\n'
    printf '3\tBo\tBo\tPROPN\t_\t_\t2\tobj\t_\tEntity=(e3-person-1)\n\n'
    printf '# sent_id = d1-s3\n# text = They left us\n'
    printf '1\tThey\tthey\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1)|SplitAnte=e2<e1,e3<e1\n'
    printf '2\tleft\tleave\tVERB\t_\t_\t0\troot\t_\t_\n'
    printf '3\tus\twe\tPRON\t_\t_\t2\tobj\t_\tEntity=(e4-person-1)\n\n'
} >"$folder/before.conllu"

cat >"$folder/rewrite.py" <<'PYTHON'
import sys
from importlib.metadata import version

from udapi.core.document import Document

document = Document(sys.argv[1])
document.coref_entities  # reads the entities, which are then written anew
print("udapi", version("udapi"))
sentence = ""
for line in document.to_conllu_string().splitlines():
    if line.startswith("# sent_id"):
        sentence = line.split()[-1]
    elif "Entity=" in line:
        print(sentence, line.split("\t")[1], line.split("\t")[-1])
PYTHON
seen=$("$folder/env/bin/python" "$folder/rewrite.py" "$folder/before.conllu")
printf '%s\n' "$seen"

[ "$seen" = "udapi 0.5.2
d1-s1 They Entity=(e1-person-1)|SplitAnte=e2<e1,e3<e1
d1-s2 Ann Entity=(e2-person-1)
d1-s2 Bo Entity=(e3-person-1)
d1-s3 They Entity=(e1-person-1)
d1-s3 us Entity=(e4-person-1)" ]
