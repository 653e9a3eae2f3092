"""Careless calls of every command, and the files that they name.

``test_messages.py`` compares what they print with ``golden/messages``.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from cdec.corpus import sample_path
from tests.faults.inputs import DOCUMENT

KEY = """\
#begin document (d); part 000
d 0 0 a (1
d 0 1 b 1)
d 0 2 c (2)
d 0 3 e (1)
#end document
"""
MENTION = '{"doc": "d", "start": 2, "end": 2, "chain": "x"}\n'
RESULT = {
    "rows": [{"setting": "pure", "system": "lemma", "metric": "muc", "f1": 2}],
    "signatures": [{"corpus": "sample", "system": "lemma", "setting": "pure"}],
}
TEXTS = {
    "key.conll": KEY,
    "mine.conll": KEY.replace("(2)", "(1)"),
    "brackets.conll": KEY.replace("1)\n", "3)\n", 1),
    "open.conll": KEY.replace("1)\n", "-\n", 1),
    "columns.conll": KEY.replace("d 0 2 c (2)", "d"),
    "other-words.conll": KEY.replace(" a ", " x ").replace(" c ", " y ").replace(" e ", " z "),
    "other-document.conll": KEY.replace("(d)", "(e)").replace("d 0", "e 0"),
    "cut.conll": KEY.removesuffix("#end document\n"),
    "empty.conll": "",
    "key.jsonl": MENTION,
    "twice.jsonl": MENTION * 2,
    "two-chains.jsonl": MENTION + MENTION.replace("x", "y"),
    "detected.jsonl": MENTION + MENTION.replace("2", "1"),
    "start-after-end.jsonl": '{"doc": "d", "start": 2, "end": 1, "chain": "x"}\n',
    "no-chain.jsonl": '{"doc": "d", "start": 0, "end": 0}\n',
    "not-json.jsonl": '{"doc": "d",\n',
    "columns.csv": "doc,start,end\nd,0,0\n",
    "number.csv": "doc,start,end,chain\nd,zero,0,x\n",
    "declared.jsonl": '{"cdec": {"uses": {"mention": "gold"}}}\n' + MENTION,
    "declared-wrong.jsonl": '{"cdec": {"seed": "1"}}\n' + MENTION,
    "pairs.csv": "a,b\nnowhere,here\n",
    "unscored.csv": "a,b,score\n4_1ecb/1,4_1ecb/2,\n4_1ecb/1,4_1ecb/6,.5\n",
    "candidates.csv": "a,b\n4_1ecb/1,4_1ecb/2\n",
    "high.csv": "a,b,score\n4_1ecb/1,4_1ecb/2,high\n",
    "twice.csv": "a,b,score\n4_1ecb/1,4_1ecb/2,.1\n4_1ecb/1,4_1ecb/2,.2\n",
    "clusters.json": '{"x": [["d", 0, 0]], "y": [["d", 0, 0]]}\n',
    "notes.txt": "nothing to score here\n",
    "blank-texts/a.txt": "...\n",
    "my-texts/a.txt": "A fire broke out.\n",
    "delta.toml": 'system = "lemma-delta"\ndelta = 2\n',
    "no-system.toml": "delta = 0.5\n",
    "syntax.toml": "system = \n",
    "overlap.toml": '[topics]\ntrain = ["1-3"]\ndev = ["3-4"]\ntest = ["5-6"]\n',
    "no-test.toml": '[topics]\nnone = []\nrest = ["1-6"]\n',
    "list.json": "[]\n",
    "cut.json": "{",
    "score-of-2.json": json.dumps(RESULT),
    "no-rows.json": '{"rows": [], "signatures": []}\n',
    "cases.jsonl": '{"case": 1}\n',
    "records.jsonl": '{"record": "corpus", "format": "cdec-corpus/1", "name": "x"}\n'
    '{"record": "document", "id": "d", "sentences": [["a"]]}\n'
    '{"record": "mention", "id": "1", "doc": "d", "tokens": [1]}\n',
    "cases.csv": "case,kind,score\n1,detach,0.5\n",
    "decisions.json": '{"format": "cdec-audit-decisions/9", "decisions": []}\n',
    "patch.json": '{"format": "cdec-key-patch/1", "merge": [["a"]]}\n',
    "broken-corpus/ECB+/1/1_1ecb.xml": DOCUMENT.replace("</Markables>", ""),
    "far-corpus/ECB+/99/99_1ecb.xml": DOCUMENT,
    "bad-anchor/ECB+/1/1_1ecb.xml": DOCUMENT.replace('<token_anchor t_id="2"/>', "", 1),
    "empty-folder/notes.txt": "",
    "file": "",
}

EVAL = """
eval --setting puer
eval --setting scope=subtopics
eval --setting scope=topic,ignore=yes
eval --setting scope=topic,ignore_singletons=maybe
eval --system lema
eval --system no_such_module:System
eval --metric ceaf_e
eval --format jsno
eval --split tset
eval --split cybuslka/test
eval --split cybulska/tset
eval --split overlap.toml/test
eval --split no-test.toml/none --system lemma
eval --scorer nelval
eval --nlp hnata
eval --by subtopics
eval --outside away
eval --missing singleton
eval --literature --setting pure -r mine.conll
eval --literature --corpus sample
eval -r mine=nothing-*.conll
eval -r mine=mine.conll,mine.conll
eval -r declared.jsonl
eval -r declared-wrong.jsonl
eval --pairs no-such-file.csv
eval --pairs pairs.csv
eval --pairs unscored.csv@high
eval --pairs unscored.csv@.5/averge
eval --corpus sampel
eval --corpus ecb+
eval --corpus no-such-folder
eval --corpus empty-folder
eval --corpus broken-corpus
eval --corpus far-corpus
eval --corpus notes.txt
eval --scorer neleval --metric lea
eval --scorer neleval --ci --system lemma -s pure
eval --ci --by topic
eval --seed 1
eval --level 0.9
eval --ci --level 95 --system lemma -s pure
eval --ci --resamples 0 --system lemma -s pure
eval --ci --seed=-1 --system lemma -s pure
eval --output no-such-folder/scores.json
eval --output empty-folder
eval --format csv --output scores.html
eval --output scores.conll
eval --config delta.toml
eval --config no-system.toml
eval --config syntax.toml
eval --system lemma --model notes.txt
eval --system sac --model notes.txt
eval --key-patch patch.json
eval --key-patch no-such-file.json
eval --response no-such-file.conll
eval --response key.conll
eval --response key.conll --response key.conll
eval --response notes.txt
eval --bogus --verbose
eval --setting puer --verbose
eval --setting puer --format json
"""
SCORE = """
score key.conll
score key.conll no-such-file.conll
score key.conll empty.conll
score key.conll empty-folder
score key.conll brackets.conll
score key.conll open.conll
score key.conll columns.conll
score key.conll other-words.conll
score key.conll other-document.conll
score key.conll cut.conll
score key.conll key.jsonl
score key.conll mine.conll --match heads
score key.conll mine.conll --match head
score key.conll mine.conll --preset crac23
score key.conll mine.conll --macro
score key.conll mine.conll --pair x=key.conll:mine.conll
score --pair key.conll:mine.conll
score key.conll mine.conll --singletons no
score key.conll mine.conll --by group
score key.conll twice.jsonl
score key.conll twice.jsonl --repeated error
score key.conll two-chains.jsonl
score key.conll two-chains.jsonl --repeated error
score key.conll start-after-end.jsonl
score key.conll no-chain.jsonl
score key.conll not-json.jsonl
score key.conll columns.csv
score key.conll number.csv
score key.conll clusters.json --allow-empty
score key.conll notes.txt
score key.conll utf16.conll
score key.conll latin1.conll
score key.conll binary.conll
score key.conll archive.zip
score twice.jsonl key.jsonl
score key.conll other-document.conll --allow-empty
score mine.conll key.conll --scope corpsu
score key.conll mine.conll --repeated frist
score key.conll mine.conll --words wran
score key.conll mine.conll --by topic
score key.conll mine.conll --setting simpel
score key.conll mine.conll --setting pure
score key.conll mine.conll --setting simple --scope corpus
score key.conll mine.conll --topics no-such-file.csv --setting simple
score key.conll mine.conll --topics notes.txt --setting simple
score key.conll mine.conll --scope corpus --ci
score key.conll mine.conll --scope corpus --ci --by document
score key.conll mine.conll --scope corpus --resamples 10
score key.conll mine.conll --scope corpus --jobs 5000
score key.conll mine.conll --scope corpus --scheduler nowhere
score key.conll mine.conll --metric ceaf
score key.conll mine.conll --scorer neleval --metric lea
score key.conll mine.conll --key-patch patch.json
score key.conll twice.jsonl --verbose
score key.conll detected.jsonl --verbose
score key.conll mine.conll --by topic --verbose
score key.conll --verbose
score key.conll brackets.conll --format json
score key.conll no-such-file.conll --output scores.json
"""
EXPLAIN = """
explain
explain -m muc
explain -m mcu key.conll mine.conll --chain 1
explain -m muc key.conll
explain -m muc key.conll mine.conll
explain -m muc key.conll mine.conll --chain 7
explain -m muc key.conll mine.conll --document x
explain -m muc key.conll mine.conll --chain 1 --side kye
explain -m muc key.conll mine.conll --setting pure
explain -m muc --system lemma --scope corpus
explain -m muc --system lemma --response mine.conll
explain -m muc --system lemma --setting all
explain -m muc --system lema --chain 1
explain -m muc key.conll brackets.conll --chain 1
explain --code swaped
explain --code swapped key.conll mine.conll
explain --code swapped --chain 3 --metric muc
"""
PREDICT = """
predict --system lemma-dw
predict --to conl
predict --output mine.html
predict --to jsonl --output mine.json
predict --output no-such-folder/mine.conll
predict --config delta.toml
predict --system lemma --config delta.toml
predict --model notes.txt
predict --system sac --model empty.conll
predict --split no-test.toml/none
predict --mentions predicted:detector-taggr
predict --text no-such-folder
predict --text my-corpus
predict --text blank-texts
predict --detector detector-tagger
predict --text my-texts --detector notes.txt
predict --text my-texts --mentions predicted:key.jsonl
predict --text my-texts --pairs-out chances.csv
predict --system lemma --pairs-out chances.csv
predict --system sac --pairs-out chances.csv --output mine.conll
predict --pairs-out chances.conll
predict --reporting drop
predict --text my-texts --reporting dropped
predict --corpus broken-corpus
"""
TUNE = """
tune lemma
tune lemma-detla
tune --split test
tune --split all
tune --split deve
tune --metric f1
tune --setting purr
tune --setting all
tune --grid fine
tune --plot curve.pdf
tune --plot no-such-folder/curve.svg
tune --output delta.json
tune --split no-test.toml/none
"""
TRAIN = """
train lemma
train sca
train --split yfc
train --split sample/tset
train --split no-test.toml
train --output model.json
train --output no-such-folder/sac.model
train --config delta.toml
train --jobs 0 --verbose
train sac --quick
train --corpus broken-corpus
"""
COMPARE = """
compare lemma
compare lemma lemma
compare lemma lema
compare lemma lemma-wd --unit document
compare lemma lemma-wd --resamples 0
compare lemma lemma-wd --exchanges 0
compare lemma lemma-wd --level 95
compare lemma lemma-wd --ci-method normal
compare lemma lemma-wd --seed=-1
compare lemma lemma-wd --split dev
compare scores.json lemma
compare scores.json
compare lemma no-such-file.conll
compare lemma lemma-wd --model notes.txt
"""
DIAGNOSE = """
diagnose lema
diagnose lemma --setting simpel
diagnose lemma --top=-1 --verbose
diagnose lemma --format json --output errors.html
diagnose no-such-file.conll
diagnose lemma lemma
diagnose brackets.conll
diagnose lemma --within pairs.csv
"""
REPORT = """
report scores.json
report scores.json --output report.doc
report scores.json --checklist --top 3
report scores.json --checklist --response lemma
report no-such-file.json --checklist
report scores.json --output report.html --key-patch patch.json
report scores.json --output no-such-folder/report.html
report no-such-file.json --output report.html
report notes.txt --output report.html
report cut.json --output report.html
report list.json --output report.html
report no-rows.json --output report.html
report score-of-2.json --output report.html
report scores.json --response lema --output report.html
report scores.json --response lemma --corpus far-corpus --output report.html
"""
REPRODUCE = """
reproduce tabel1
reproduce table1 --chart ranking.svg
reproduce ranking --chart ranking.pdf
reproduce ranking --chart no-such-folder/ranking.svg
reproduce table2 --system lema
reproduce table2 --response no-such-file.conll
reproduce figure3 --format markdown --output figure3.html
reproduce intervals --resamples 0
reproduce crac xx=key.conll:mine.conll
"""
PLUGINS = """
plugins --format tabel
plugins --output no-such-folder/plugins.csv
plugins --format html --output plugins.md
plugins lemma --verbose
plugins new metric
plugins new metrics my-metric
plugins new metric My_Metric
plugins new metric muc
plugins new metric json
plugins new metric my-metric --into no-such-folder
"""
AUDIT = """
audit run --detector svn
audit run --kind detach
audit run --topic 99
audit run --top=-1
audit run --delta 7
audit run --C 0
audit run --embedding 2
audit run --format json --output cases.csv
audit review no-such-file.jsonl
audit review cases.jsonl
audit review cases.csv
audit review cases.jsonl --output review.md
audit review cases.jsonl --output tasks.json
audit sample cases.jsonl --decoys 10%
audit decide cases.jsonl no-such-file.csv --reader ann
audit agree decisions.json
audit agree list.json --adjudicator no-such-file.json
audit apply no-such-file.json
audit apply --certain --decoys key.json
audit apply decisions.json
audit apply cut.json
audit apply decisions.json --output patch.toml
audit report decisions.json
audit report list.json --no-scores
audit benchmark --plant detahc
audit benchmark --errors 0
audit benchmark --seeds 0
"""
CORPUS = """
corpus export --setting simpel
corpus export --setting all
corpus export --response mine.conll
corpus export --setting pure --response no-such-file.conll
corpus export --to csv --output key.tsv
corpus export --split tset
corpus fetch --url ftp://nowhere.invalid
corpus fetch gvcc
corpus fetch fcc-t
corpus list --format htm
corpus info --format htm
corpus info --corpus gvc
corpus info --corpus no-such-folder
corpus install no-such-folder
corpus install notes.txt
corpus install empty-folder
corpus install archive.zip
corpus install far-corpus
corpus install far-corpus --name sample
corpus install far-corpus --name ../corpus
corpus import far-corpus --mentions key.jsonl
corpus import far-corpus --language de
corpus import far-corpus --name sample
corpus import far-corpus --name mine --as gvcc
corpus import key.jsonl --name mine
corpus import far-corpus --name mine --topics number.csv
corpus import far-corpus --name mine --topics no-such-file.csv
corpus import records.jsonl --name mine
corpus convert sample
corpus convert sampel --output corpus.jsonl
corpus convert sample --output corpus.jsonl --to conll9
corpus convert sample --output no-such-folder/corpus.jsonl
corpus verify --corpus broken-corpus
corpus verify --corpus bad-anchor
corpus stats --split yfc
corpus stats --split yfc/test
corpus stats key.conll --split ycf
corpus stats --split sample/tset
corpus stats --split overlap.toml
corpus stats --split syntax.toml
corpus stats --split no-such-file.toml
corpus stats --format tabel
corpus stats --format csv --output table.svg
corpus stats --corpus far-corpus
corpus stats --corpus broken-corpus
corpus stats --diversity --nlp hnata
stats --split yfc
"""
CHECK = """
check
check scores.json
check absent.json --min pure/conll=.5
check scores.json --min pure
check scores.json --min pure/conll=2
check scores.json --min pure/conl=.5
check scores.json --min pure/conll=1
check scores.json --signature corpus
"""
LEADERBOARD = """
leaderboard
leaderboard add mine.conll --name mine --task ecb+
leaderboard score
leaderboard score --corpus gvc
leaderboard show
leaderboard show --task ecb+
leaderboard show --task ecb+ --metric conl
leaderboard show -o leaderboard.conll
leaderboard show --filter topics
leaderboard show --column cost
leaderboard show --task ecb+ --by size --nlp spacy
leaderboard show --filter topic=gold
leaderboard show --filter saw-test=no
leaderboard score --check --folder absent
leaderboard check --folder absent
leaderboard check absent --folder absent
leaderboard fetch barhom
leaderboard fetch cdec-lemma
leaderboard fetch barhom-2019-gold --from absent
eval -r leaderboard:barhom --corpus sample
eval -r leaderboard:barhom-2019-gold --corpus sample
"""
PAIRS = """
pairs
pairs no-such-file.csv
pairs pairs.csv
pairs notes.txt
pairs utf16.conll
pairs unscored.csv --corpus sample --threshold nan
pairs candidates.csv --corpus sample --threshold .5
pairs unscored.csv --corpus sample --ci --ci-method bca
pairs high.csv --corpus sample
pairs twice.csv --corpus sample
pairs twice.csv --corpus sample --directions median
pairs unscored.csv --corpus sample --setting pur
pairs unscored.csv --corpus sample --seed 1
pairs unscored.csv --corpus sample -o unscored.csv
pairs unscored.csv --corpus sample --tune-split dev
pairs unscored.csv --corpus sample --tune unscored.csv --tune-split test
pairs unscored.csv --corpus sample --cluster averge
"""

CALLS = {
    "eval": EVAL,
    "score": SCORE,
    "explain": EXPLAIN,
    "predict": PREDICT,
    "tune": TUNE,
    "train": TRAIN,
    "compare": COMPARE,
    "diagnose": DIAGNOSE,
    "report": REPORT,
    "check": CHECK,
    "leaderboard": LEADERBOARD,
    "reproduce": REPRODUCE,
    "plugins": PLUGINS,
    "pairs": PAIRS,
    "audit": AUDIT,
    "corpus": CORPUS,
}


def write_files(folder: Path) -> None:
    """Write the files that the calls name, except ``scores.json``."""
    for name, text in TEXTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "utf16.conll").write_text(KEY, "utf-16")
    (folder / "latin1.conll").write_bytes(KEY.replace("a", "ä").encode("latin-1"))
    (folder / "binary.conll").write_bytes(KEY.encode() + b"\0")
    (folder / "archive.zip").write_bytes(b"PK\x03\x04")
    shutil.copytree(sample_path(), folder / "my-corpus")
