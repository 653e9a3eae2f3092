"""The page of `cdec report --checklist`: what results say for a reproducibility checklist.

``configs/checklist.toml`` has the items. Each has facts, which results, their signatures and
declarations and the corpus state, and what the author must fill in.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

import pandas as pd

from cdec.configs import read_toml
from cdec.corpus.known import by_digest, by_name
from cdec.corpus.model import Corpus
from cdec.corpus.splits import divided, named_part
from cdec.corpus.statistics import counts
from cdec.errors import ScoringError, counted
from cdec.evaluation.declared import declarations, declared_grid, declared_runs, published
from cdec.evaluation.results import Results
from cdec.evaluation.same_task import TASK, distinct
from cdec.formats.declaration import RunDeclaration
from cdec.render.page import Block, Grid, Page, Section, Text, anchor
from cdec.signature import in_json, merged, plain

_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn")
_OTHERS = (*TASK, "system", "mentions", "response_digest", "declared", "runs", "cdec")
_OF_INTERVALS = ("ci", "unit", "resamples", "seed")
_Facts = Sequence[str | Grid]


def checklist_page(
    saved: Sequence[Results], corpus: Corpus | None = None, title: str | None = None
) -> Page:
    """Return the checklist of saved results; ``corpus`` is the whole one, for its counts.

    Raises ScoringError if the results are of another corpus.
    """
    known = _Known(distinct(saved), corpus)
    sections = [_section(item, known) for item in read_toml("checklist.toml")["items"]]
    states = {str(s.data["item"].iloc[0]): str(s.data["state"].iloc[0]) for s in sections}
    number = list(states.values()).count
    intro = (
        "After sections B and C of the Responsible NLP checklist of ACL Rolling Review. "
        "Its other sections are about the text and the people, of which results say nothing.",
        f"{counted(len(states), 'item')}: {number('complete')} complete, {number('in part')} in "
        f"part, {number('to fill in')} to fill in. The author must complete: "
        f"{', '.join(name for name, state in states.items() if state != 'complete') or 'none'}.",
    )
    signatures = (one for result in known.results for one in result.signatures)
    page_title = title or "Reproducibility checklist"
    return Page(page_title, tuple(sections), intro, in_json(*signatures))


def _section(item: dict[str, Any], known: _Known) -> Section:
    """Return an item with its facts and what is missing."""
    facts = [fact for name in item.get("facts", ()) for fact in known.facts[name]]
    missing = [text for ask in item["ask"] for text in known.missing(**ask)]
    state = ("in part" if facts else "to fill in") if missing else "complete"
    blocks: list[Block] = [Text(fact) if isinstance(fact, str) else fact for fact in facts]
    blocks += [Text(f"☐ To fill in: {text}.") for text in missing]
    lines = [("known", fact if isinstance(fact, str) else fact.caption) for fact in facts]
    lines += [("missing", text) for text in missing]
    data = pd.DataFrame(lines, columns=["kind", "text"]).assign(item=item["id"], state=state)
    title = f"{item['id']}: {item['title']} ({state})"
    return Section(anchor("item", item["id"]), title, tuple(blocks), data)


@dataclass(frozen=True)
class _Known:
    """The results, and what they say of corpus and systems."""

    results: Sequence[Results]
    corpus: Corpus | None

    def __post_init__(self) -> None:
        if self.corpus is not None and self.corpus.digest != self.task.get("digest"):
            message = f"not the corpus of the results, {self.task.get('corpus', 'a key file')}"
            hint = "name the corpus of the results"
            raise ScoringError("input-mismatch", message, place=self.corpus.name, hint=hint)

    @cached_property
    def task(self) -> dict[str, Any]:
        """The fields of the first signature."""
        return dict(self.results[0].signature.fields)

    @cached_property
    def systems(self) -> dict[str, dict[str, Any]]:
        """System → the fields of its signature."""
        return {one.system: dict(one.signature.fields) for one in self.results}

    @cached_property
    def declared(self) -> dict[str, dict[str, Any]]:
        """System → what is declared of its runs, for those that declare anything."""
        return declared_runs(self.results)

    @cached_property
    def stated(self) -> dict[str, dict[str, Any]]:
        """System → its paper and licence on the leaderboard, and what is declared of its runs."""
        entries = {name: published(fields)[:1] for name, fields in self.systems.items()}
        about = {
            n: {"paper": e.paper, "licence": e.licence}
            for n, found in entries.items()
            for e in found
        }
        known = {n: {**about.get(n, {}), **self.declared.get(n, {})} for n in self.systems}
        return {
            n: {k: v for k, v in values.items() if v is not None} for n, values in known.items()
        }

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """The groups of systems that a question may be about; ``files`` are not of cdec."""
        files = [n for n, fields in self.systems.items() if not _is_own(fields)]
        return {
            "all": list(self.systems),
            "files": files,
            "single": [name for name in files if self.systems[name].get("runs", 1) == 1],
            "models": [n for n, v in self.declared.items() if v.get("model", "none") != "none"],
            "without intervals": [*{r.system: 0 for r in self.results if not r.intervals}],
        }

    def missing(self, text: str, unless: str = "", of: str = "") -> Iterable[str]:
        """Return what to ask the author, if anything is missing."""
        name, _, field = of.partition(":")
        lacking = [
            system for system in self.groups.get(name, ()) if field not in self.stated[system]
        ]
        if lacking:
            return [f"{', '.join(lacking)}: {text}"]
        return [text] if not of and not self.facts.get(unless) else []

    @cached_property
    def facts(self) -> dict[str, _Facts]:
        """The facts of all items, by name."""
        one, systems = self.task, self.systems
        part = [f"scored: {one.get('split', one.get('key', 'labels'))}"]
        notices = [notice for result in self.results for notice in result.notices]
        seen = dict.fromkeys(n.message for n in notices if n.code == "trained-on-part")
        own = [n for n in systems if n not in self.groups["files"]]
        runs = [f"{n}: {counted(int(f.get('runs', 1)), 'run')}" for n, f in systems.items()]
        return {
            **self._of_corpus(),
            "papers": self._stating("paper"),
            "licences": self._stating("licence"),
            "taken": [declared_grid(self.declared)] if self.declared else [],
            "parameters": [text for name in systems for text in self._parameters(name)],
            "runs": runs,
            "intervals": [*dict.fromkeys(r.intervals for r in self.results if r.intervals)],
            "signature": [str(merged(one for r in self.results for one in r.signatures))],
            "packages": [_packages()],
            "part": part,
            "seen": [*seen, *self._stating("saw_test")],
            "models": [*self._stating("model"), *(f"{n}: a system of cdec, none" for n in own)],
        }

    def _stating(self, field: str) -> list[str]:
        known = self.stated.items()
        return [f"{n}: {field} {values[field]}" for n, values in known if field in values]

    def _of_corpus(self) -> dict[str, _Facts]:
        digest, name = (str(self.task.get(field, "")) for field in ("digest", "corpus"))
        known = by_digest(digest) or by_name(name)
        stated = {"licence": known.licence, "citation": known.citation} if known else {}
        release = self.corpus.release.items() if self.corpus else ()
        stated |= {field: value for field, value in release if value}
        content = {
            "mentions of kind": self.task.get("kind", "event"),
            "version": stated.get("version"),
            "content with SHA-256": digest or self.task.get("key_digest"),
        }
        described = ", ".join(f"{label} {value}" for label, value in content.items() if value)
        return {
            **{n: [stated[n]] if stated.get(n) else [] for n in ("licence", "citation")},
            "content": [f"{name or 'key'}: {described}"],
            "counts": [] if self.corpus is None else self._counts(self.corpus),
        }

    def _counts(self, corpus: Corpus) -> list[Grid]:
        chosen = corpus.select(self.task.get("kind"), variant=self.task.get("key_variant"))
        split = (named_part(str(self.task["split"])) or "").rpartition("/")[0] or None
        parts = divided(chosen, split)
        table = pd.DataFrame({name: counts(part) for name, part in parts.items()})
        text = table.map("{:,}".format).rename_axis("Count").reset_index()
        return [Grid.from_frame(f"{corpus.name}, by part", text)]

    def _parameters(self, name: str) -> list[str]:
        fields = self.systems[name]
        left = (*_OTHERS, *_OF_INTERVALS) if "ci" in fields else _OTHERS
        own = {n: v for n, v in fields.items() if n not in left}
        for each in declarations(fields):
            own |= {n: v for n, v in each.items() if n not in RunDeclaration.model_fields}
        return [f"{name}: {', '.join(f'{n} {plain(v)}' for n, v in own.items())}"] if own else []


def _is_own(signed: dict[str, Any]) -> bool:
    """Return whether cdec ran the system, which is one of its own."""
    return "corpus" in signed and not {"response_digest", "pairs", "plugins"} & signed.keys()


def _packages() -> str:
    used = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"installed where this list was written: Python {platform.python_version()}, {used}"
