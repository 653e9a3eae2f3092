"""Make the responses of docs/zero-shot.md from the public files of their authors.

    python zero-shot-responses.py OUT --clones FOLDER… [--gvc GVC]

``FOLDER…`` are git clones of the repositories in ``SOURCES``, each with its commit; what has no
clone is left out, and so is GVC without its corpus. ``OUT`` receives one file a response: pair
scores (``a,b,score``) or chains (mention → chain), the same bytes on every machine. The systems on
the board of cdec name their SHA-256.

The pickles hold lists, dicts and arrays of numbers. The reader below makes nothing else: a pickle
that names any other class or function is refused before it is called.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import pickle
import re
import struct
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

LLAMA = "b37fd361c0facb74f5b7d9bcc4b966f84adc2424"  # csu-signal/llama_cdcr
BALANCED = "23b83d4961e58aeb6c4aa8c82122226246ace9b7"  # ahmeshaf/coreference_and_annotations
XAMR = "433a2bd419e1e43d6b098cfb1183cc5588f1a316"  # ahmeshaf/law_2023_submission_2
SCORES = {
    "ecb": ("paired", "r0_k1", "r1_k0", "r1_k1", "gpt", "llama"),
    "gvc": ("paired", "r0_k1", "r1_k0", "r1_k1", "gpt", "llama", "llama2"),
}
ARRAYS = ("numpy.core.multiarray", "numpy._core.multiarray")
PLAIN = ("numpy.ndarray", "numpy.dtype", "_codecs.encode", "collections.OrderedDict")
NUMBERS = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "LongStorage": "<i8"}

Pair = tuple[str, str]
Task = dict[str, Any]


# -- reading ---------------------------------------------------------------------------------------


class Numbers(pickle.Unpickler):
    """A reader of pickles that makes containers, numbers, arrays and CPU tensors only."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what an allowed name makes. Raises UnpicklingError for any other name."""
        if module in ARRAYS and name in ("_reconstruct", "scalar"):
            return super().find_class("numpy._core.multiarray", name)
        if f"{module}.{name}" in PLAIN:
            return super().find_class(module, name)
        if module == "torch" and name in NUMBERS:
            return NUMBERS[name]
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            return stored
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return tensor
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")

    def persistent_load(self, pid: Any) -> Any:
        """Return the type of the numbers of a tensor: the id of its storage begins with it."""
        return pid[1]


def stored(data: bytes) -> np.ndarray[Any, Any]:
    """Return the numbers of a tensor: five pickles, then their count and bytes."""
    file = io.BytesIO(data)
    *_, kind, _ = [Numbers(file).load() for _ in range(5)]
    (count,) = struct.unpack("<q", file.read(8))
    return np.frombuffer(file.read(), kind, count)


def tensor(numbers: np.ndarray[Any, Any], start: int, size: tuple[int, ...], *_: Any) -> Any:
    """Return a contiguous tensor as an array."""
    return numbers[start : start + int(np.prod(size))].reshape(size)


class Clone:
    """A commit in one of the clones."""

    def __init__(self, folder: Path, commit: str) -> None:
        self.folder, self.commit = folder, commit

    def read(self, path: str) -> bytes:
        """Return a file of the commit."""
        call = ["git", "-C", str(self.folder), "show", f"{self.commit}:{path}"]
        return subprocess.run(call, capture_output=True, check=True).stdout  # noqa: S603

    def numbers(self, path: str) -> Any:
        """Return the content of a pickle."""
        return Numbers(io.BytesIO(self.read(path))).load()

    def scores(self, path: str) -> list[float]:
        """Return a pickled list or array of scores, flat."""
        return [float(score) for score in np.asarray(self.numbers(path), "float64").ravel()]


def clone_of(commit: str, folders: Iterable[Path]) -> Clone | None:
    """Return the clone that has a commit, if there is one."""
    for folder in folders:
        call = ["git", "-C", str(folder), "cat-file", "-e", f"{commit}^{{commit}}"]
        done = subprocess.run(call, capture_output=True, check=False)  # noqa: S603
        if done.returncode == 0:
            return Clone(folder, commit)
    return None


# -- Nath et al. 2024 ------------------------------------------------------------------------------


def nath(clone: Clone, corpus: str, ids: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the pair scores of each model: of the candidates, the links first, then the others.

    Some files go on with scores of pairs that are not candidates, or end before the last one.
    """
    folder = f"datasets/{corpus}"
    links, others, *_ = clone.numbers(f"{folder}/lh_llama/mp_mp_t_test.pkl")[0]
    pairs = [(ids.get(a, a), ids.get(b, b)) for a, b in [*links, *others]]
    for model in SCORES[corpus]:
        scores = clone.scores(f"{folder}/best_scores_llm_cdcr/scores_{model}.pkl")
        yield f"nath-2024/{corpus}.{model}.csv", table(pairs, scores)


def table(pairs: list[Pair], scores: list[float]) -> str:
    """Return the CSV of scored pairs; a pair without a score has an empty one."""
    texts = [f"{score:.9g}" for score in scores[: len(pairs)]]
    texts += [""] * (len(pairs) - len(texts))
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(["a", "b", "score"])
    lines.writerows((*pair, text) for pair, text in zip(pairs, texts, strict=True))
    return file.getvalue()


def ids_of_gvc(clone: Clone, folder: Path) -> dict[str, str]:
    """Return their mention id → that of the corpus: the n-th mention of a document is the n-th.

    Theirs are ``doc.t1.5`` or ``doc.b1.8``: title or body, sentence, token; line ends count as
    tokens, so that the numbers are not those of the corpus. Raises ValueError if a document has
    another number of mentions, or if the two keys differ.
    """
    from cdec import load_corpus  # noqa: PLC0415 (only GVC needs it)

    key = clone.numbers("datasets/gvc/mention_gold_key.pkl")
    theirs: dict[str, list[tuple[tuple[bool, int, int], str]]] = defaultdict(list)
    for mention in key:
        doc, part, sentence, token = re.findall(r"^(.*)\.([tb])(\d+)\.(\d+)$", mention)[0]
        theirs[doc].append(((part == "b", int(sentence), int(token)), mention))
    ours = load_corpus(str(folder), "test").mentions.sort_values(["doc", "sentence", "start"])
    ids: dict[str, str] = {}
    for doc, rows in ours.groupby("doc"):
        ordered = [mention for _, mention in sorted(theirs[str(doc)])]
        ids |= dict(zip(ordered, map(str, rows.index), strict=True))
    chains = {(chain, ours["chain"][ids[mention]]) for mention, chain in key.items()}
    if not len(chains) == len({a for a, _ in chains}) == len({b for _, b in chains}):
        raise ValueError("the mentions do not have the same chains")
    return ids


# -- Ahmed et al. 2023, balanced pairs -------------------------------------------------------------


def balanced(clone: Clone, part: str) -> str:
    """Return the scores of both directions of each pair."""
    folder = "coreference/dpos_results_jan11"
    rows = clone.read(f"{folder}/lemma_balanced_tp_fp_{part}.tsv").decode().splitlines()
    pairs = [(a, b) for a, b, *_ in (row.split("\t") for row in rows)]
    scores = [clone.scores(f"{folder}/{part}_prediction_scores_{way}") for way in ("ab", "ba")]
    if any(len(one) != len(pairs) for one in scores):
        raise ValueError(f"{part}: {len(pairs)} pairs, but {[len(one) for one in scores]} scores")
    return table([*pairs, *((b, a) for a, b in pairs)], [*scores[0], *scores[1]])


# -- Ahmed et al. 2023, X-AMR ----------------------------------------------------------------------


def xamr(clone: Clone) -> Iterator[tuple[str, str]]:
    """Yield the chains of GPT-4 and of people, from arguments alone and with time and place.

    Two mentions are linked if they share an identifier of their event.
    """
    classes = verb_classes(clone.numbers("data/roleset.dict"))
    files = {"gpt4": "gpt4-coref.json", "people": "adjudication_clean.json"}
    for name, path in files.items():
        tasks: list[Task] = json.loads(clone.read(f"data/annotations/{path}"))
        if name == "gpt4":  # the authors use the lemma of its roleset
            for task in tasks:
                task["roleset_id"] = task["roleset_id"].lower().split(".")[0]
        Identifiers(tasks, classes, by_words=name == "gpt4").add()
        for way, kinds in {"eid": ("EIDs",), "eid-lt": ("EIDs", "EIDsTime", "EIDsLoc")}.items():
            shared = [[eid for kind in kinds for eid in task[kind]] for task in tasks]
            chains = joined([task["mention_id"] for task in tasks], shared)
            text = json.dumps(chains, indent=0, sort_keys=True) + "\n"
            yield f"ahmed-2023/xamr.{name}.{way}.json", text


def joined(names: list[str], shared: list[list[Any]]) -> dict[str, str]:
    """Return name → chain: those that share something, and so on; a chain has its first name."""
    numbers: dict[Any, int] = {}
    edges = [(n, numbers.setdefault(one, len(numbers))) for n, s in enumerate(shared) for one in s]
    size = len(names) + len(numbers)
    rows, columns = np.array(edges).T
    links = coo_matrix((np.ones(len(edges)), (rows, columns + len(names))), shape=(size, size))
    labels = connected_components(links, directed=False)[1][: len(names)].tolist()
    first: dict[int, str] = {}
    for label, name in sorted(zip(labels, names, strict=True), key=lambda pair: pair[1]):
        first.setdefault(label, name)
    return {name: first[label] for name, label in zip(names, labels, strict=True)}


def verb_classes(rolesets: dict[str, Any]) -> dict[str, str]:
    """Return roleset → its group: rolesets that share a class of VerbNet, and so on."""
    names = sorted(rolesets)
    classes = [
        [link["@class"][0].split(".")[0] for link in rolesets[name]["lexlinks"]
         if link["@resource"] == "VerbNet"]
        for name in names
    ]  # fmt: skip
    return joined(names, classes)


class Identifiers:
    """The identifiers of events by the rule of the authors (coreference.py, ``add_eid``).

    (agent, roleset, patient) for each agent and patient; if the patient is a roleset of an event in
    the same sentence, the identifiers of that event take its place. With time and place: (agent,
    roleset, time), also with the year alone, and (agent, roleset, place).
    """

    def __init__(self, tasks: list[Task], classes: dict[str, str], *, by_words: bool) -> None:
        self.tasks, self.classes, self.split = tasks, classes, " " if by_words else "/"
        self.events: dict[tuple[str, str, str], Task] = {}
        for task in tasks:
            self.events.setdefault((*place(task), task["roleset_id"]), task)

    def add(self) -> None:
        """Give each task its sets EIDs, EIDsTime and EIDsLoc."""
        for task in self.tasks:
            self._arguments(task)
            self._time_and_place(task)

    def _roleset(self, task: Task) -> tuple[str, str]:
        roleset = task["roleset_id"]
        return str(task["topic"]), self.classes.get(roleset, roleset)

    def _parts(self, task: Task, name: str) -> list[str]:
        return cleaned(task[name]).split("|" if name == "argT" else self.split)

    def _arguments(self, task: Task) -> None:
        if "EIDs" in task:
            return
        task["EIDs"] = set()
        roleset = self._roleset(task)
        for agent in self._parts(task, "arg0"):
            if (*place(task), agent) in self.events:
                self._arguments(self.events[*place(task), agent])
            for patient in self._parts(task, "arg1"):
                inner = self.events.get((*place(task), patient))
                if inner is None:
                    task["EIDs"].add((agent, roleset, patient))
                    continue
                self._arguments(inner)
                for eid in set(inner["EIDs"]):
                    ends = range(0, len(eid) - 2, 2)
                    task["EIDs"] |= {(agent, roleset, *eid[at:]) for at in ends}

    def _time_and_place(self, task: Task) -> None:
        roleset, times, places = self._roleset(task), set(), set()
        for agent in self._parts(task, "arg0"):
            for time in filter(None, self._parts(task, "argT")):
                plain = time.replace("2023", "")
                each = {time, plain, *re.findall(r"(\d{4})", plain)}
                times |= {(agent, roleset, one) for one in each if one}
            places |= {(agent, roleset, one) for one in self._parts(task, "argL") if one}
        task["EIDsTime"], task["EIDsLoc"] = times, places


def place(task: Task) -> tuple[str, str]:
    """Return document and sentence."""
    return task["doc_id"], task["sentence_id"]


def cleaned(text: str) -> str:
    """Return an argument as the authors compare it."""
    return text.replace("NA", "").strip().replace("%27", "'").replace("_", " ")


# -- the command -----------------------------------------------------------------------------------


def responses(clones: list[Path], gvc: Path | None) -> Iterator[tuple[str, str]]:
    """Yield name and text of every response that the clones give."""
    clone = clone_of(LLAMA, clones)
    if clone:
        yield from nath(clone, "ecb", {})
        if gvc:
            yield from nath(clone, "gvc", ids_of_gvc(clone, gvc))
    clone = clone_of(BALANCED, clones)
    if clone:
        yield "ahmed-2023/balanced.test.csv", balanced(clone, "test")
    clone = clone_of(XAMR, clones)
    if clone:
        yield from xamr(clone)


def main() -> None:
    """Write the responses."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--clones", type=Path, nargs="+", required=True)
    parser.add_argument("--gvc", type=Path)
    given = parser.parse_args()
    for name, text in responses(given.clones, given.gvc):
        path = given.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
