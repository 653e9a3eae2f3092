"""Recall of the audit on errors planted in a key: ``python docs/studies/planted.py``.

Each replicate plants the same number of errors of each kind in chains that no other planted error
touches, audits the key with the patch, and counts the planted errors among the first cases:

* ``merge``: a chain of two or more mentions joins one of its topic that is not smaller. Found if a
  case takes mentions of the first chain out of the merged one.
* ``split``: half of a chain of four or more mentions becomes another chain. Found if a case links
  the halves.
* ``move``: a mention moves to another chain of its topic, of two or more mentions. Found if a case
  takes it out.

``all`` is the list of the audit. A detector ranks the cases that it flags by its own score. Recall
is of all planted errors, as the mean over replicates ± its standard deviation. ``found`` is the
recall in the whole list. The folder (default: build/planted) has the patch of each replicate and,
as judged cases for ``calibrate.py``, its cases: all but the planted errors count as no errors.
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

DEPTHS = {"at 50": 50, "at 100": 100, "at 200": 200, "found": np.inf}
SMALLEST = {"split": 4, "move": 1, "merge": 2}  # chain, in mentions
OUT = ("spurious-member", "contradicting-members", "two-events")  # cases that take mentions out


@dataclass(frozen=True)
class Error:
    """The ``moved`` mentions, the ``rest`` of the chain that they left or joined, and the patch."""

    kind: str
    moved: frozenset[str]
    rest: frozenset[str]
    claims: list[dict[str, str]]

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
        for one in [name for name in free if len(chains[name]) >= SMALLEST[kind]]:
            ids = [str(id_) for id_ in rng.permutation(chains[one])]
            moved = {"split": ids[: len(ids) // 2], "move": ids[:1], "merge": ids}[kind]
            least, near = max(2, len(moved)), [c for c in free if topics[c] == topics[one]]
            others = [c for c in near if c != one and len(chains[c]) >= least]
            target = one if kind == "split" else next(iter(others), None)
            if target is not None:
                rest = [id_ for id_ in chains[target] if id_ not in moved]
                to = f"new:{one}" if kind == "split" else rest[0]
                claims = [{"mention": mention, "to": to} for mention in moved]
                errors.append(Error(kind, frozenset(moved), frozenset(rest), claims))
                free = [name for name in free if name not in {one, target}]
                break
    return errors


def audit(corpus: str, *options: str) -> list[dict[str, Any]]:
    """Return the cases of the audit of a corpus, in order."""
    command = [sys.executable, "-m", "cdec", "audit", "run", "--corpus", corpus, "--quiet"]
    with TemporaryDirectory() as folder:
        target = Path(folder) / "cases.jsonl"
        subprocess.run([*command, "--output", str(target), *options], check=True)  # noqa: S603
        return [json.loads(line) for line in target.read_text("utf-8").splitlines()[1:]]


def asked(case: dict[str, Any]) -> list[str]:
    """Return the mentions in question, or the places where one may be missing."""
    sides = [side for side in case["sides"] if not side.get("evidence")]
    return [id_ for side in sides for id_ in side["mentions"] or [side.get("place", "")]]


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
            hits = ([i for i, case in enumerate(ranked) if error.hit(case)] for error in planted)
            ranks = np.array([min(one, default=np.inf) for one in hits])
            values |= {(name, kind, at): float((ranks < n).mean()) for at, n in DEPTHS.items()}
    return pd.Series(values)


def main() -> None:
    """Plant, audit, print."""
    parser = argparse.ArgumentParser(description="Recall of the audit on planted errors.")
    parser.add_argument("--corpus", default="sample", help="as for cdec audit run")
    for name, default in {"errors": 10, "replicates": 3, "seed": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"[{default}]")
    parser.add_argument("--folder", type=Path, default=Path("build/planted"), help="for the files")
    args = parser.parse_args()
    corpus, rows = cdec.load_corpus(args.corpus), []
    named = {name: corpus.about[name] for name in ("corpus", "digest")}
    about = {"format": "cdec-key-patch/1", "about": named}
    args.folder.mkdir(parents=True, exist_ok=True)
    for number in range(args.replicates):
        errors = plant(corpus.selected, args.errors, np.random.default_rng([args.seed, number]))
        content = {**about, "claims": [claim for error in errors for claim in error.claims]}
        patch = args.folder / f"patch-{number}.json"
        patch.write_text(json.dumps(content), "utf-8")
        cases = audit(args.corpus, "--key-patch", str(patch))
        verdicts = ("error" if any(e.hit(c) for e in errors) else "not-error" for c in cases)
        judged = pd.DataFrame({"ranking": [c["kind"] for c in cases], "verdict": list(verdicts)})
        judged["mentions"] = [" ".join(asked(case)) for case in cases]
        judged.to_csv(args.folder / f"judged-{number}.csv", index=False)
        print(f"replicate {number}: {len(errors)} planted errors, {len(cases):,} cases")
        rows.append(recalls(errors, cases))
    table = 100 * pd.concat(rows, axis=1).fillna(0.0)  # a detector without a case finds no error
    means, spread = table.mean(axis=1), table.std(axis=1).fillna(0.0)
    cells = means.map("{:.0f}".format) + "±" + spread.map("{:.0f}".format)
    print(cells.unstack(sort=False).rename_axis(["ranking", "planted"]).to_string())


if __name__ == "__main__":
    main()
