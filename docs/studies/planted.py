"""Recall of the audit on errors planted in a key: ``python docs/studies/planted.py``.

Each replicate plants the same number of errors of each kind in chains that no other planted error
touches, audits the key with the patch, and counts the planted errors among the first cases:

* ``merge``: two chains of a topic, of two or more mentions each, become one. Found if a case takes
  mentions of the smaller chain out of the merged one.
* ``split``: half of a chain of four or more mentions becomes another chain. Found if a case links
  the halves.
* ``move``: a mention moves to another chain of its topic, of two or more mentions. Found if a case
  takes it out.

``all`` is the list of the audit. A detector ranks the cases that it flags by its own score. Recall
is of all planted errors, as the mean over replicates ± its standard deviation. ``found`` is the
recall in the whole list. ``--keep FOLDER`` also writes the patch of each replicate and, as judged
cases for ``calibrate.py``, the cases of its list: other suspected errors count as none.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import cdec

DEPTHS = (50, 100, 200)
OUT = ("spurious-member", "contradicting-members", "two-events")  # cases that take mentions out


@dataclass(frozen=True)
class Error:
    """The ``moved`` mentions, the ``rest`` of the chain that they left or joined, and the patch."""

    kind: str
    moved: frozenset[str]
    rest: frozenset[str]
    operation: dict[str, list[str]]

    def hit(self, case: dict[str, Any]) -> bool:
        """Whether a case proposes to undo the error."""
        sides = [side for side in case["sides"] if not side.get("evidence")]
        if self.kind != "split":
            return case["kind"] in OUT and self.moved >= {*sides[0]["mentions"]}
        parts = [{*side["mentions"], *side["members"]} for side in sides]
        moved = {at for at, part in enumerate(parts) if part & self.moved}
        rest = {at for at, part in enumerate(parts) if part & self.rest}
        return case["kind"].startswith("missing") and bool(moved and rest - moved)


def plant(events: pd.DataFrame, count: int, rng: np.random.Generator) -> list[Error]:
    """Return up to ``count`` errors of each kind, in random chains."""
    chains = {str(name): list(ids) for name, ids in events.groupby("chain").groups.items()}
    topics = events.drop_duplicates("chain").set_index("chain")["topic"].to_dict()
    free = [str(name) for name in rng.permutation(sorted(chains))]
    errors: list[Error] = []
    for kind in ("split", "move", "merge") * count:
        smallest = {"split": 4, "move": 1, "merge": 2}[kind]
        for one in [name for name in free if len(chains[name]) >= smallest]:
            others = [c for c in free if c != one and topics[c] == topics[one]]
            target = next((c for c in others if len(chains[c]) >= 2), None)
            if kind == "split":
                ids = [str(id_) for id_ in rng.permutation(chains[one])]
                half, rest = ids[: len(ids) // 2], ids[len(ids) // 2 :]
                operation, used = {"move": half}, {one}
            elif target is None:
                continue
            elif kind == "move":
                half, rest, used = [str(rng.choice(chains[one]))], chains[target], {one, target}
                operation = {"merge": [half[0], rest[0]], "move": half}
            else:
                half, rest = sorted((chains[one], chains[target]), key=len)
                operation, used = {"merge": [half[0], rest[0]]}, {one, target}
            errors.append(Error(kind, frozenset(half), frozenset(rest), operation))
            free = [name for name in free if name not in used]
            break
    return errors


def audit(corpus: str, patch: Path, target: Path) -> list[dict[str, Any]]:
    """Return the cases of the audit of the patched key, in order."""
    command = [sys.executable, "-m", "cdec", "audit", "run", "--corpus", corpus, "--quiet"]
    command += ["--key-patch", str(patch), "--output", str(target)]
    subprocess.run(command, check=True)  # noqa: S603
    return [json.loads(line) for line in target.read_text("utf-8").splitlines()[1:]]


def recalls(errors: list[Error], cases: list[dict[str, Any]]) -> pd.Series[float]:
    """Return the recall by ranking, kind and depth."""
    rankings = {"all": cases}
    for name in dict.fromkeys(name for case in cases for name in case["detectors"]):
        flagged = [case for case in cases if name in case["detectors"]]
        rankings[name] = sorted(flagged, key=lambda case: -case["detectors"][name])
    values: dict[tuple[str, str, str], float] = {}
    for kind in dict.fromkeys(error.kind for error in errors):
        planted = [error for error in errors if error.kind == kind]
        for name, ranked in rankings.items():
            first = [next((i for i, c in enumerate(ranked) if e.hit(c)), None) for e in planted]
            ranks = np.array([np.inf if rank is None else rank for rank in first])
            depths = {**{f"at {depth}": depth for depth in DEPTHS}, "found": np.inf}
            values |= {(name, kind, at): float((ranks < n).mean()) for at, n in depths.items()}
    return pd.Series(values)


def main() -> None:
    """Plant, audit, print."""
    parser = argparse.ArgumentParser(description="Recall of the audit on planted errors.")
    parser.add_argument("--corpus", default="sample", help="as for cdec audit run")
    parser.add_argument("--errors", type=int, default=10, help="of each kind [10]")
    parser.add_argument("--replicates", type=int, default=3, help="[3]")
    parser.add_argument("--seed", type=int, default=0, help="[0]")
    parser.add_argument("--keep", type=Path, help="folder for patches and judged cases")
    args = parser.parse_args()
    corpus = cdec.load_corpus(args.corpus)
    about = {name: corpus.about[name] for name in ("corpus", "digest")}
    rows = []
    with TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(args.replicates):
            rng = np.random.default_rng([args.seed, number])
            errors = plant(corpus.selected, args.errors, rng)
            operations = [error.operation for error in errors]
            content = {"format": "cdec-key-patch/2", "about": about, "operations": operations}
            patch = folder / f"patch-{number}.json"
            patch.write_text(json.dumps(content), "utf-8")
            cases = audit(args.corpus, patch, Path(temporary) / "cases.jsonl")
            judged = [(c["kind"], any(e.hit(c) for e in errors), asked(c)) for c in cases]
            frame = pd.DataFrame(judged, columns=["ranking", "verdict", "mentions"])
            frame["verdict"] = frame["verdict"].map({True: "error", False: "not-error"})
            frame.to_csv(folder / f"judged-{number}.csv", index=False)
            counts = pd.Series([error.kind for error in errors]).value_counts().to_dict()
            print(f"replicate {number}: {len(cases):,} cases; planted {counts}")
            rows.append(recalls(errors, cases))
    table = 100 * pd.concat(rows, axis=1).fillna(0.0)  # a detector without a case finds no error
    means, spread = table.mean(axis=1), table.std(axis=1).fillna(0.0)
    cells = means.map("{:.0f}".format) + "±" + spread.map("{:.0f}".format)
    print(cells.unstack(sort=False).rename_axis(["ranking", "planted"]).to_string())


def asked(case: dict[str, Any]) -> str:
    """Return the mentions in question, or the place where one may be missing."""
    sides = [side for side in case["sides"] if not side.get("evidence")]
    return " ".join(id_ for side in sides for id_ in side["mentions"] or [side.get("place", "")])


if __name__ == "__main__":
    main()
