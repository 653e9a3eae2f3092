"""Time of cdec beside its peers, in one run: ``python docs/studies/benchmarks.py``.

Every measurement is a process of its own. The processes of a case are run in turn, several times;
the least processor time (user and system) counts. Read the ratios: seconds depend on the machine
and on what else it does. ``memory``, in MiB, is the peak of a command; of arrays it is the growth.

* ``arrays``: B³ of two arrays of labels, after the imports. Peers: the sparse contingency matrix of
  scikit-learn, ``numpy.unique`` or ``pandas.factorize`` of both arrays, and three lines.
* ``commands``: whole commands, with their start. The peer is another environment, with an earlier
  cdec (``--before PYTHON``); of the two files of ECB+ also neleval with its own reader, by metric.
  Its CEAF is not among these: it raises an error on them under NumPy 2.
* ``ties``: CEAF_e of two unrelated partitions into chains of one size, and how it grows.

The result is ``docs/studies/speed.csv``, or the file of ``-o``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

ARRAYS = """
import sys, time, resource
import numpy as np, pandas as pd
size, kind = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(1)
key = rng.integers(0, size // 3, size)
response = np.where(rng.random(size) < .8, key, rng.integers(0, size // 3, size))
if kind != "integers":
    key, response = (np.char.add("c", side.astype(str)).astype(object) for side in (key, response))
if kind == "list":
    key, response = key.tolist(), response.tolist()
if kind == "categorical":
    key, response = pd.Categorical(key), pd.Categorical(response)
{setup}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
{code}
print(time.process_time() - start)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
B_CUBED = """
recall = (cells ** 2 / key_sizes[rows]).sum() / cells.sum()
precision = (cells ** 2 / response_sizes[cols]).sum() / cells.sum()
f1 = 2 * precision * recall / (precision + recall)
"""
NELEVAL = """
import sys
from neleval import coref_metrics
key, response = (coref_metrics.read_conll_coref(open(path)) for path in sys.argv[2:])
p_num, p_den, r_num, r_den = getattr(coref_metrics, sys.argv[1])(key, response)
print(200 / (p_den / p_num + r_den / r_num))
"""
PAIR = "score, cybulska/test"
PEERS = {
    "cdec": ("from cdec import metrics; metrics.b3([0], [0])", "metrics.b3(key, response)"),
    "scikit-learn": (
        "from sklearn.metrics.cluster import contingency_matrix",
        "matrix = contingency_matrix(key, response, sparse=True).tocoo()\n"
        "rows, cols, cells = matrix.row, matrix.col, matrix.data\n"
        "key_sizes = np.bincount(rows, cells)\nresponse_sizes = np.bincount(cols, cells)" + B_CUBED,
    ),
    "NumPy": (
        "",
        "k, key_sizes = np.unique(key, return_inverse=True, return_counts=True)[1:]\n"
        "r, response_sizes = np.unique(response, return_inverse=True, return_counts=True)[1:]\n"
        "pairs, cells = np.unique(k * len(response_sizes) + r, return_counts=True)\n"
        "rows, cols = np.divmod(pairs, len(response_sizes))" + B_CUBED,
    ),
    "pandas": (
        "",
        "k, _ = pd.factorize(np.asarray(key))\nr, distinct = pd.factorize(np.asarray(response))\n"
        "pairs, cells = np.unique(k * len(distinct) + r, return_counts=True)\n"
        "rows, cols = np.divmod(pairs, len(distinct))\n"
        "key_sizes, response_sizes = np.bincount(k), np.bincount(r)" + B_CUBED,
    ),
}
TIES = """
import sys, time
import numpy as np
from cdec import metrics
size, length = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(3)
key, response = rng.permutation(size) // length, rng.permutation(size) // length
metrics.ceafe(key[:1000] % 30, response[:1000] % 30)
start = time.process_time()
metrics.ceafe(key, response)
print(time.process_time() - start)
"""
TOKENS = 2
IN_DOCUMENT = 200


@dataclass(frozen=True)
class Cost:
    """Processor seconds of one process, the peak of its memory in MiB, and what it printed."""

    seconds: float
    memory: float
    printed: str


def run(command: list[str]) -> Cost:
    """Run a Python with its arguments to the end; raises ChildProcessError if it fails."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    # -P: the cdec of the environment, and not one in the current folder.
    command = [command[0], "-P", *command[1:]]
    with subprocess.Popen(command, **streams) as process:  # noqa: S603
        printed = process.stdout.read().decode() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise ChildProcessError(" ".join(command)[:200])
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, printed)


def least(commands: dict[str, list[str]], rounds: int) -> dict[str, Cost]:
    """Return the cheapest run of each command, of rounds in which they take turns."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(run(command))
    return {name: min(runs, key=lambda cost: cost.seconds) for name, runs in costs.items()}


def arrays(rounds: int) -> list[dict[str, object]]:
    """Return a row for each kind and size of labels, and each peer."""
    rows = []
    cases = [("integers", 10**5), ("integers", 10**6), ("integers", 10**7)]
    cases += [(kind, 10**6) for kind in ("objects", "list", "categorical")]
    for kind, size in cases:
        commands = {}
        for name, (setup, code) in PEERS.items():
            program = ARRAYS.format(setup=setup, code=code)
            commands[name] = [sys.executable, "-c", program, str(size), kind]
        for name, cost in least(commands, rounds).items():
            seconds, kibibytes = map(float, cost.printed.split()[-2:])
            case = f"b3 of {size:,} {kind}"
            memory = kibibytes / 1024
            rows.append({"case": case, "tool": name, "seconds": seconds, "memory": memory})
    return rows


def write_pair(folder: Path, mentions: int) -> None:
    """Write a made-up key and response, as CoNLL and as JSON Lines."""
    rng = np.random.default_rng(1)
    key = rng.integers(0, mentions // 3, mentions)
    moved = rng.integers(0, mentions // 3, mentions)
    response = np.where(rng.random(mentions) < 0.8, key, moved)
    texts = [f"w{word}" for word in rng.integers(0, 20_000, mentions * TOKENS).tolist()]
    for side, labels in (("key", key.tolist()), ("response", response.tolist())):
        conll = []
        records = []
        for number, label in enumerate(labels):
            document, position = divmod(number, IN_DOCUMENT)
            name = f"d{document}"
            first = position * TOKENS
            if not position:
                conll.append(f"#begin document ({name}); part 000")
            cells = [f"({label}", f"{label})"] if number % 4 == 0 else [f"({label})", "-"]
            for token, cell in enumerate(cells, start=first):
                word = texts[number * TOKENS + token - first]
                conll.append(f"{name}\t{position // 10}\t{token}\t{word}\t{cell}")
            end = first + (number % 4 == 0)
            record = {"doc": name, "start": first, "end": end, "chain": str(label)}
            records.append(json.dumps(record))
            if position == IN_DOCUMENT - 1:
                conll.append("#end document")
        (folder / f"{side}{mentions}.conll").write_text("\n".join(conll) + "\n")
        (folder / f"{side}{mentions}.jsonl").write_text("\n".join(records) + "\n")


def write_corpus(path: Path, documents: int) -> None:
    """Write a made-up corpus in the interchange format: ten sentences and mentions a document."""
    rng = np.random.default_rng(2)
    records: list[dict[str, object]] = [
        {"record": "corpus", "format": "cdec-corpus/1", "name": "made-up"}
    ]
    for number in range(documents):
        topic = number // 25
        sentences = [[f"w{word}" for word in row] for row in rng.integers(0, 5000, (10, 20))]
        verbs = [f"verb{topic * 7 % 700 + verb}" for verb in rng.integers(0, 60, 10)]
        for sentence, verb in zip(sentences, verbs, strict=True):
            sentence[5] = verb
        place = {"topic": f"t{topic}", "subtopic": f"t{topic}a", "part": "test"}
        document = {"record": "document", "id": f"d{number}", "sentences": sentences}
        records.append(document | place)
        for at, verb in enumerate(verbs):
            chain = f"t{topic}_{verb}_{rng.integers(0, 3)}"
            mention = {"record": "mention", "id": str(at), "doc": f"d{number}"}
            records.append(mention | {"tokens": [at * 20 + 5], "chain": chain})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def apart(write: Callable[[Path, int], None], path: Path, size: int) -> None:
    """Write a file in another process: the peak of a command is at least that of its parent."""
    with ProcessPoolExecutor(1) as pool:
        pool.submit(write, path, size).result()


def commands(folder: Path, largest: int) -> dict[str, list[str]]:
    """Return the commands of cdec by case, with inputs in ``folder``."""
    cases = {}
    if os.environ.get("CDEC_ECBPLUS"):
        key = str(folder / "key.conll")
        response = str(folder / "response.conll")
        part = ["--split", "cybulska/test"]
        cdec = [sys.executable, "-m", "cdec"]
        run([*cdec, "corpus", "export", *part, "-o", key])
        run([*cdec, "predict", "--system", "lemma-delta", *part, "-o", response])
        cases = {
            PAIR: ["score", key, response, "--scope", "corpus"],
            "eval FILE, six settings": ["eval", response, *part],
            "compare with a baseline": ["compare", response, "lemma", *part],
            "diagnose": ["diagnose", response, *part],
        }
    for mentions in (10**5, largest):
        apart(write_pair, folder, mentions)
        for ending in ("conll", "jsonl"):
            files = [str(folder / f"{side}{mentions}.{ending}") for side in ("key", "response")]
            cases[f"score, {mentions:,} mentions, {ending}"] = [
                "score",
                *files,
                "--scope",
                "corpus",
            ]
    for documents in (2500, 10_000):
        corpus = folder / f"docs{documents}.jsonl"
        apart(write_corpus, corpus, documents)
        options = ["--corpus", str(corpus), "--split", "official/test"]
        cases[f"eval lemma, {documents:,} documents"] = ["eval", "lemma", *options]
    return cases


def main() -> None:
    """Measure, print the table and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", help="the Python of an environment with an earlier cdec")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--largest", type=int, default=10**6, help="mentions of the largest files")
    default = Path(__file__).with_name("speed.csv")
    parser.add_argument("-o", "--output", type=Path, default=default)
    options = parser.parse_args()
    rows = arrays(options.rounds)
    with TemporaryDirectory() as name:
        for case, arguments in commands(Path(name), options.largest).items():
            pythons = {"cdec": sys.executable}
            if options.before:
                pythons["cdec before"] = options.before
            tools = {tool: [python, "-m", "cdec", *arguments] for tool, python in pythons.items()}
            if case == PAIR:
                files = arguments[1:3]
                for metric in ("muc", "b_cubed", "pairwise"):
                    tools[f"neleval {metric}"] = [sys.executable, "-c", NELEVAL, metric, *files]
            for tool, cost in least(tools, options.rounds).items():
                figures = {"seconds": cost.seconds, "memory": cost.memory}
                rows.append({"case": case, "tool": tool, **figures})
                print(rows[-1], flush=True)
    pythons = [("cdec", sys.executable), ("cdec before", options.before)]
    for length in (2, 3, 5):
        for tool, python in pythons:
            if python:
                seconds = [
                    float(least({tool: [python, "-c", TIES, size, str(length)]}, 3)[tool].printed)
                    for size in ("25000", "100000")
                ]
                case = f"CEAF_e of 100,000 mentions, chains of {length}"
                exponent = float(np.log(seconds[1] / seconds[0]) / np.log(4))
                figures = {"seconds": seconds[1], "exponent": exponent}
                rows.append({"case": case, "tool": tool, **figures})
    table = pd.DataFrame(rows)
    of_cdec = table[table["tool"] == "cdec"].set_index("case")["seconds"]
    table["ratio"] = table["case"].map(of_cdec) / table["seconds"]
    table = table.round({"seconds": 3, "memory": 0, "ratio": 2, "exponent": 2})
    print(table.to_string(index=False))
    table.to_csv(options.output, index=False)


if __name__ == "__main__":
    main()
