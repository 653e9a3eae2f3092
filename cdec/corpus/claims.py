"""A corrected key: a table of claims, and what they make of the chains of a corpus or of a file.

A claim says where one mention belongs, or that two chains are one::

    {"format": "cdec-key-patch/3",
     "about": {"corpus": "ecb+", "digest": "…"},
     "claims": [
      {"mention": "1_1ecb/20", "to": "1_2ecb/7",         # it belongs to the chain of 1_2ecb/7
       "case": "0a1b2c3d4e", "kind": "missing-singleton-cluster",
       "readers": ["ann", "bob"], "agreement": "2 of 2", "reason": "…", "evidence": ["svm"]},
      {"mention": "1_3ecb/4", "to": "new:storm"},        # to a new chain
      {"mention": "1_5ecb/9", "to": ""},                 # to none: it is no event
      {"chain": "1_4ecb/3", "to": "1_2ecb/7"},           # the chain of 1_4ecb/3 is that of 1_2ecb/7
      {"mention": "1_6ecb/2", "tokens": "14-15"},        # its tokens in the document
      {"mention": "1_6ecb/2", "tag": "ACTION_STATE"},
      {"add": "1_7ecb/30", "to": "1_6ecb/2"}]}           # a missing mention at document/tokens

Chains are those of the *original* key and are named by any of their mentions, because most formats
have no label for a singleton. All claims hold at once: their order means nothing, twice is once,
and a mention that moves takes nobody with it. A mention that is alone in its chain is its chain.
Two claims that differ on one mention are the only conflict.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import pandas as pd
from pydantic import FailFast, Field, model_validator
from scipy.cluster.hierarchy import DisjointSet

from cdec.configs import FOLDER
from cdec.corpus.build import build
from cdec.corpus.model import ANNOTATED, EVENT, Corpus
from cdec.errors import FormatError, one_of
from cdec.files.input import FileKind, integer
from cdec.files.models import FileModel, Schema, Texts, complaint
from cdec.files.strict_json import read_json

NEW, NONE = "new:", ""  # targets: a new chain, no chain
NOWHERE: Hashable = ("none", "")  # the chain of a mention that is no event
_HINT = "make one with `cdec audit apply DECISIONS -o PATCH`"
_KIND = FileKind("a key patch", FormatError, "file-invalid", _HINT)


class Claim(FileModel):
    """What is claimed of a mention, of a chain or of a missing mention, and who claims it.

    ``to``: a mention of the chain to which it belongs, ``new:NAME``, or '' for no chain; None says
    nothing of chains. ``agreement``: how many readers chose this, as in "2 of 3"; ``evidence``: the
    detectors of the case.

    >>> Claim(mention="a", to="b", readers=("ann",)).to_dict()
    {'mention': 'a', 'to': 'b', 'readers': ['ann']}
    """

    mention: str = ""
    chain: str = ""
    add: str = ""
    to: str | None = None
    tokens: str = ""
    tag: str = ""
    case: str = ""
    kind: str = ""
    readers: Texts = ()
    agreement: str = ""
    reason: str = ""
    evidence: Texts = ()

    @model_validator(mode="after")
    def _refuse_incomplete(self) -> Self:
        one = sum(map(bool, (self.mention, self.chain, self.add))) == 1
        form = self.to is None and self.mention and (self.tokens or self.tag)
        placed = self.to if self.chain or self.add else self.to is not None
        if not one or not (form or placed) or (self.chain and self.is_new):
            raise complaint("needs one of mention, chain and add, and as 'to' a chain for it")
        return self

    @property
    def subject(self) -> str:
        """The mention, the place of a missing one, or the mention that names a chain."""
        return self.mention or self.add or self.chain

    @property
    def is_new(self) -> bool:
        """Whether the target is a new chain."""
        return (self.to or "").startswith(NEW)

    @property
    def target(self) -> str:
        """The mention of the target, '' if there is none."""
        return "" if self.is_new else self.to or ""

    @property
    def mentions(self) -> tuple[str, ...]:
        """The mentions of the key that the claim names."""
        return tuple(filter(None, (self.mention or self.chain, self.target)))

    @property
    def said(self) -> tuple[str, ...]:
        """What the claim says, without who says it."""
        to = "-" if self.to is None else f"={self.to}"
        return self.mention, self.chain, self.add, to, self.tokens, self.tag

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object, without empty fields."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Difference(NamedTuple):
    """The cases of claims that differ, and a sentence that names them."""

    cases: tuple[str, ...]
    text: str

    @classmethod
    def of(cls, claims: Iterable[Claim], text: str) -> Difference:
        """Return the difference of these claims.

        >>> Difference.of([Claim(mention="a", to="b", case="1")], "give 'a' different chains").text
        "cases '1' give 'a' different chains"
        """
        cases = tuple(dict.fromkeys(claim.case for claim in claims))
        return cls(cases, f"{f'cases {quoted(cases)}' if any(cases) else 'claims'} {text}")


def quoted(names: Iterable[str]) -> str:
    """Return names as text, each once."""
    return ", ".join(f"'{name}'" for name in dict.fromkeys(names))


class Outcome:
    """The chains that claims make of a key; ``chains``: mention → chain in the original key.

    A mention with an unknown chain is a chain of one. ``moved`` has the chain of each mention that
    claims move. ``differences`` are the conflicts: claims of one mention, or of singletons that are
    linked with each other, with different targets.

    >>> key = {"a": 1, "b": 2, "c": 3, "d": 3}
    >>> links = [Claim(mention="a", to="b"), Claim(mention="b", to="d")]
    >>> made = Outcome(links, key)
    >>> made.of("a") == made.of("c"), made.differences
    (True, [])
    """

    def __init__(self, claims: Iterable[Claim], chains: Mapping[str, Hashable]) -> None:
        self.chains, self.sizes, claims = chains, Counter(chains.values()), list(claims)
        named = (m for claim in claims for m in (claim.subject, *claim.mentions))
        same = DisjointSet(dict.fromkeys(map(self.home, named)))
        for claim in (claim for claim in claims if claim.chain):
            same.merge(self.home(claim.chain), self.home(claim.target))
        blocks = {home: same[home] for home in same if self.sizes[home] > 1}
        # A mention that is alone in its chain takes the chain with it.
        lone = [c for c in claims if c.target and not c.chain and self.is_lone(c.subject)]
        for claim in lone:
            same.merge(self.home(claim.subject), self.home(claim.target))
        self.roots: dict[Hashable, Hashable] = {home: same[home] for home in same}
        new = defaultdict[str | None, set[str]](set)
        for claim in (claim for claim in claims if claim.is_new):
            new[claim.to].add(claim.subject)
        # Mention and what is said of it → its values, and who says each.
        said: dict[tuple[str, str], dict[Hashable, list[Claim]]] = {}
        for claim in claims:
            says: dict[str, Hashable] = {"tokens": claim.tokens, "tags": claim.tag}
            says = {what: value for what, value in says.items() if value}
            if claim.to is not None and not claim.chain:
                there = self.root(self.home(claim.target)) if claim.target else NOWHERE
                says["chains"] = ("new", *sorted(new[claim.to])) if claim.is_new else there
            for what, value in says.items():
                said.setdefault((claim.subject, what), {}).setdefault(value, []).append(claim)
        self.moved = {one: next(iter(to)) for (one, what), to in said.items() if what == "chains"}
        self.differences = [
            Difference.of(chain(*of_one.values()), f"give '{one}' different {what}")
            for (one, what), of_one in said.items()
            if len(of_one) > 1
        ]
        # Singletons must not make one chain of several that nobody calls one.
        parts: dict[Hashable, set[Hashable]] = {}
        for home, block in blocks.items():
            parts.setdefault(self.root(home), set()).add(block)
        for root in (root for root, several in parts.items() if len(several) > 1):
            fusing = [claim for claim in lone if self.root(self.home(claim.target)) == root]
            names = quoted(claim.subject for claim in fusing)
            self.differences.append(Difference.of(fusing, f"give {names} different chains"))

    def home(self, mention: str) -> Hashable:
        """Return the chain of a mention in the original key."""
        return self.chains.get(mention, ("mention", mention))

    def is_lone(self, mention: str) -> bool:
        """Return whether a mention is alone in its chain in the original key."""
        return self.sizes[self.home(mention)] < 2

    def of(self, mention: str) -> Hashable:
        """Return the chain of a mention after all claims; ``NOWHERE`` if it has none."""
        return self.moved.get(mention) or self.root(self.home(mention))

    def root(self, home: Hashable) -> Hashable:
        """Return one chain of the original key for all that are joined with this one."""
        return self.roots.get(home, home)


class _File(FileModel):
    claims: Annotated[tuple[Claim, ...], Field(strict=False), FailFast()]
    about: dict[str, Any] = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)  # of older patches, not read


_SCHEMA = Schema(_KIND, _File, "cdec-key-patch/3")


@dataclass(frozen=True)
class Patch:
    """Claims on a key; ``about``: the corpus and key that they are about, and who made them.

    ``name`` is the file name, for messages and signatures.

    >>> len(Patch((Claim(mention="d1/a", to="d2/b"),)).digest)
    64
    """

    claims: tuple[Claim, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    name: str = "patch"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what is claimed; not of its order, nor of who claims it."""
        said = sorted({claim.said for claim in self.claims})
        return sha256(json.dumps(said).encode()).hexdigest()

    def to_json(self) -> str:
        """Return the text of the file, with one claim a line."""
        lines = (json.dumps(claim.to_dict(), ensure_ascii=False) for claim in self.claims)
        about, claims = json.dumps(dict(self.about), indent=1), ",\n".join(lines)
        head = f'{{"format": "{_SCHEMA.format}",\n"about": {about},\n'
        return f'{head}"claims": [\n{claims}\n]}}\n'


def read_patch(choice: str | Path) -> Patch:
    """Return the patch of a file, or the patch of cdec with this name (``shipped``).

    Raises FormatError for a missing or invalid file, UnknownNameError for an unknown name.

    >>> read_patch("ecbplus-duplicates").about["corpus"]
    'ecb+'
    """
    path, name = Path(choice), str(choice).removesuffix(".json")
    if not path.exists() and (name in shipped() or str(choice) == path.stem):
        path = (FOLDER / "patches") / f"{one_of('key patch', name, shipped())}.json"
    file = _SCHEMA.read_json(path)
    return Patch(file.claims, file.about, path.name)


def is_patch(choice: Path) -> bool:
    """Return whether a path is a patch, or the name of one of cdec; not a file of decisions."""
    if not choice.exists():
        return str(choice) in shipped()
    content = read_json(choice, _KIND) if choice.suffix.lower() == ".json" else None
    return isinstance(content, dict) and content.get("format") == _SCHEMA.format


def shipped() -> tuple[str, ...]:
    """Return the names of the patches of cdec."""
    return tuple(sorted(file.stem for file in (FOLDER / "patches").glob("*.json")))


def contradiction(differences: Iterable[Difference], place: object = None) -> FormatError:
    """Return the error for decisions, or claims of a patch, that exclude each other."""
    message = f"contradictory: {'; '.join(one.text for one in differences)}"
    hint = "correct the decisions on these cases and run `cdec audit apply` again"
    return FormatError("patch-contradictory", message, place=place, hint=hint)


def corrected(corpus: Corpus, patch: Patch) -> Corpus:
    """Return a whole corpus with its event mentions as a patch corrects them.

    The signature of every score on it has file name and digest of the patch. Raises FormatError if
    the patch is for another corpus or key, names what is not there, or has claims that exclude each
    other.
    """
    check_origin(patch.about, corpus, patch.name)
    for claim in patch.claims:
        known = corpus.mentions if claim.to is None else corpus.selected
        check_known(claim.mentions, known.index, patch.name)
    mentions, added = _edited(corpus, patch)
    key: dict[str, str] = dict(corpus.selected["chain"])
    made = Outcome(patch.claims, key)
    if made.differences:
        raise contradiction(made.differences, patch.name)
    names: dict[Hashable, str] = {}  # of joined chains, that of the largest
    for label, _ in Counter(key.values()).most_common():
        names.setdefault(made.root(label), label)
    # The place of an added mention may be the id of another.
    after: dict[str, Any] = {
        id_: made.root(label) if id_ in added else made.of(id_) for id_, label in key.items()
    }
    after |= {id_: made.of(place) for place, id_ in added.items()}
    gone = mentions.index.isin([id_ for id_, to in after.items() if to == NOWHERE])
    chains = dict(mentions["chain"])
    for id_, to in after.items():
        chains[id_] = names[to] if to in names else f"{NEW}{patch.digest[:8]}/{to[1]}"
    base = {"key_patch_base": base} if (base := patch.about.get("base")) else {}
    fields = {"key_patch": patch.name, "key_patch_digest": patch.digest, **base}
    removed = pd.concat([corpus.removed, mentions[gone]])
    mentions = mentions.assign(chain=pd.Series(chains, dtype=object))[~gone]
    return replace(corpus, mentions=mentions, removed=removed, correction=fields)


def _edited(corpus: Corpus, patch: Patch) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the mentions with added ones and other tokens and tags; places → ids of the added.

    The id of an added mention is its place, with ``+`` if another mention has this id; its tag is
    that of the mention that it is added to, unless the claim has one.
    """
    edits = [claim for claim in patch.claims if claim.tokens or claim.tag or claim.add]
    if not edits:
        return corpus.mentions, {}
    rows: dict[Any, dict[Any, Any]] = corpus.mentions.to_dict("index")
    added: dict[str, str] = {}
    for claim in edits:
        if claim.add and claim.add not in added:
            id_ = claim.add
            while id_ in rows:
                id_ += "+"
            blank = {"kind": EVENT, "state": ANNOTATED, "chain": id_}
            rows[id_] = {**rows.get(claim.target, blank), "doc": claim.add.rpartition("/")[0]}
            added[claim.add] = id_
        row = rows[added.get(claim.add, claim.mention)]
        if claim.tokens or claim.add:
            place = claim.add or f"{row['doc']}/{claim.tokens}"
            row["tokens"] = tokens_at(corpus, place, patch.name)[0]
        row["tag"] = claim.tag or row.get("tag")

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        return not_there(message, patch.name)

    columns = {str(name): [row.get(name) for row in rows.values()] for name in corpus.mentions}
    columns["id"] = [*rows]
    documents = corpus.documents.values()
    return build(documents, columns, fail=fail, reviewed=corpus.reviewed).mentions, added


def tokens_at(corpus: Corpus, place: str, name: object) -> tuple[tuple[int, ...], tuple[str, int]]:
    """Return the tokens at a place, ``document/34-35,37``, and their sentence."""
    doc, _, text = place.rpartition("/")
    document = corpus.documents.get(doc)
    size = len(document.tokens) if document else 0
    ends = [list(map(integer, part.split("-"))) for part in text.split(",")]
    inside = all(len(end) < 3 and 0 <= end[0] <= end[-1] < size for end in ends)
    numbers = [n for end in ends for n in range(end[0], end[-1] + 1)] if inside else []
    starts = document.sentence_starts if document else ()
    sentences = {bisect_right(starts, number) - 1 for number in numbers}
    if len(sentences) != 1 or numbers != sorted(set(numbers)):
        raise not_there(f"'{text}' are not tokens of one sentence of '{doc}'", name)
    return tuple(numbers), (doc, sentences.pop())


def not_there(message: str, name: object) -> FormatError:
    """Return the error for a patch that names what the corpus lacks."""
    hint = "use the corpus for which the patch was made"
    return FormatError("input-mismatch", message, place=name, hint=hint)


def check_known(mentions: Iterable[str], known: pd.Index[Any], place: object) -> None:
    """Raise FormatError for the first of the mentions that is not known."""
    for mention in mentions:
        if mention not in known:
            raise not_there(f"mention '{mention}' is not in the corpus or its key", place)


def origin_of(corpus: Corpus) -> dict[str, str]:
    """Return name and digest of a corpus and, as ``base``, the digest of the patch of its key."""
    base = corpus.correction.get("key_patch_digest")
    return {"corpus": corpus.name, "digest": corpus.digest} | ({"base": base} if base else {})


def check_origin(
    about: Mapping[str, Any], corpus: Corpus, place: object, base: str = "base"
) -> None:
    """Raise FormatError unless the digest in ``about`` is that of ``corpus``, and so is the key.

    The field ``base`` is the digest of the patch that corrected the key; without it, the key must
    be uncorrected. Claims and cases hold for the key that they are about.
    """
    here = origin_of(corpus)
    there = {"corpus": about.get("corpus"), "digest": about.get("digest"), "base": about.get(base)}
    if any(there[name] != here.get(name) for name in ("digest", "base")):
        one, other = (
            ", ".join(f"{name} {value!s:.12}" for name, value in each.items() if value)
            for each in (there, here)
        )
        message, hint = f"made for {one}, not for {other}", "name that corpus and that key patch"
        raise FormatError("input-mismatch", message, place=place, hint=hint)
