"""A corrected key: a table of claims, and what they make of the chains of a corpus or of a file.

A claim says where one mention belongs, or that two chains are one::

    {"format": "cdec-key-patch/1",
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
from cdec.records import Fields, Row, Tokens

# targets: a new chain, no chain
NEW = "new:"
NONE = ""
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
        subjects = [name for name in (self.mention, self.chain, self.add) if name]
        if self.chain or self.add:
            is_complete = bool(self.to)
        else:
            is_complete = self.to is not None or bool(self.tokens or self.tag)
        if len(subjects) != 1 or not is_complete or (self.chain and self.is_new):
            raise complaint(
                "needs one of mention, chain and add, and as 'to' a chain for it"
            )
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
    def content(self) -> tuple[str, ...]:
        """The claim without who makes it."""
        to = "-" if self.to is None else f"={self.to}"
        return self.mention, self.chain, self.add, to, self.tokens, self.tag

    def to_dict(self) -> Row:
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
        subject = f"cases {quoted(cases)}" if any(cases) else "claims"
        return cls(cases, f"{subject} {text}")


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
    >>> outcome = Outcome(links, key)
    >>> outcome.of("a") == outcome.of("c"), outcome.differences
    (True, [])
    """

    def __init__(self, claims: Iterable[Claim], chains: Mapping[str, Hashable]) -> None:
        self.chains = chains
        self.sizes = Counter(chains.values())
        claims = list(claims)
        joined = DisjointSet()
        for claim in claims:
            for mention in (claim.subject, *claim.mentions):
                joined.add(self.home(mention))
            if claim.chain:
                joined.merge(self.home(claim.chain), self.home(claim.target))
        joined_by_claims = {home: joined[home] for home in joined}
        # A mention that is alone in its chain takes the chain with it.
        lone = [
            claim
            for claim in claims
            if claim.target and not claim.chain and self.is_lone(claim.subject)
        ]
        for claim in lone:
            joined.merge(self.home(claim.subject), self.home(claim.target))
        self.roots: dict[Hashable, Hashable] = {home: joined[home] for home in joined}
        self.moved, self.differences = self._values(claims)
        # Singletons must not make one chain of several that nobody calls one.
        parts: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        for home, part in joined_by_claims.items():
            if self.sizes[home] > 1:
                parts[self.root(home)].add(part)
        for root, parts_of_root in parts.items():
            if len(parts_of_root) > 1:
                fusing = [claim for claim in lone if self.of_target(claim) == root]
                mentions = quoted(claim.subject for claim in fusing)
                difference = Difference.of(fusing, f"give {mentions} different chains")
                self.differences.append(difference)

    def _values(
        self, claims: list[Claim]
    ) -> tuple[dict[str, Hashable], list[Difference]]:
        """Return mention → chain to which claims move it, and the conflicts of single mentions."""
        members = defaultdict[str | None, set[str]](set)  # of new chains
        for claim in claims:
            if claim.is_new:
                members[claim.to].add(claim.subject)
        # Mention and property → its values, and the claims that give each.
        claims_of: dict[tuple[str, str], dict[Hashable, list[Claim]]] = {}
        for claim in claims:
            values: dict[str, Hashable] = {}
            if claim.tokens:
                values["tokens"] = claim.tokens
            if claim.tag:
                values["tags"] = claim.tag
            if claim.is_new:
                values["chains"] = ("new", *sorted(members[claim.to]))
            elif claim.to is not None and not claim.chain:
                values["chains"] = self.of_target(claim)
            for name, value in values.items():
                by_value = claims_of.setdefault((claim.subject, name), {})
                by_value.setdefault(value, []).append(claim)
        moved = {}
        differences = []
        for (mention, name), by_value in claims_of.items():
            if name == "chains":
                moved[mention] = next(iter(by_value))
            if len(by_value) > 1:
                text = f"give '{mention}' different {name}"
                differences.append(Difference.of(chain(*by_value.values()), text))
        return moved, differences

    def of_target(self, claim: Claim) -> Hashable:
        """Return the chain of the target of a claim, after all claims."""
        return self.root(self.home(claim.target)) if claim.target else NOWHERE

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
    about: Row = Field(default_factory=dict)


_SCHEMA = Schema(_KIND, _File, "cdec-key-patch/1")


@dataclass(frozen=True)
class Patch:
    """Claims on a key; ``about``: the corpus and key that they are about, and who made them.

    ``name`` is the file name, for messages and signatures.

    >>> len(Patch((Claim(mention="d1/a", to="d2/b"),)).digest)
    64
    """

    claims: tuple[Claim, ...]
    about: Fields = field(default_factory=dict)
    name: str = "patch"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what is claimed; not of its order, nor of who claims it."""
        contents = sorted({claim.content for claim in self.claims})
        return sha256(json.dumps(contents).encode()).hexdigest()

    def to_json(self) -> str:
        """Return the text of the file, with one claim a line."""
        about = json.dumps(dict(self.about), indent=1)
        claims = ",\n".join(
            json.dumps(claim.to_dict(), ensure_ascii=False) for claim in self.claims
        )
        head = f'{{"format": "{_SCHEMA.format}",\n"about": {about},\n'
        return f'{head}"claims": [\n{claims}\n]}}\n'


def read_patch(choice: str | Path) -> Patch:
    """Return the patch of a file, or the patch of cdec with this name (``shipped``).

    Raises FormatError for a missing or invalid file, UnknownNameError for an unknown name.

    >>> read_patch("ecbplus-duplicates").about["corpus"]
    'ecb+'
    """
    path = Path(choice)
    name = str(choice).removesuffix(".json")
    if not path.exists() and (name in shipped() or str(choice) == path.stem):
        path = FOLDER / "patches" / f"{one_of('key patch', name, shipped())}.json"
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


def contradiction(
    differences: Iterable[Difference], place: object = None
) -> FormatError:
    """Return the error for decisions, or claims of a patch, that exclude each other."""
    return FormatError(
        "patch-contradictory",
        f"contradictory: {'; '.join(difference.text for difference in differences)}",
        place=place,
        hint="correct the decisions on these cases and run `cdec audit apply` again",
    )


def corrected(corpus: Corpus, patch: Patch) -> Corpus:
    """Return a whole corpus with its event mentions as a patch corrects them.

    The signature of every score on it has file name and digest of the patch. Raises FormatError if
    the patch is for another corpus or key, names what is not there, or has claims that exclude each
    other.
    """
    check_origin(patch.about, corpus, patch.name)
    for claim in patch.claims:
        mentions_of_key = corpus.mentions if claim.to is None else corpus.selected
        check_known(claim.mentions, mentions_of_key.index, patch.name)
    mentions, ids = _edited(corpus, patch)
    key: dict[str, str] = dict(corpus.selected["chain"])
    outcome = Outcome(patch.claims, key)
    if outcome.differences:
        raise contradiction(outcome.differences, patch.name)
    labels: dict[Hashable, str] = {}  # of joined chains, that of the largest
    for label, _ in Counter(key.values()).most_common():
        labels.setdefault(outcome.root(label), label)
    targets: Row = {id_: outcome.of(id_) for id_ in key}
    for place, id_ in ids.items():
        if place in key:  # the place of an added mention may be the id of another
            targets[place] = outcome.root(key[place])
        targets[id_] = outcome.of(place)
    chains = dict(mentions["chain"])
    for id_, target in targets.items():
        chains[id_] = labels.get(target) or f"{NEW}{patch.digest[:8]}/{target[1]}"
    fields = {"key_patch": patch.name, "key_patch_digest": patch.digest}
    base = patch.about.get("base")
    if base:
        fields["key_patch_base"] = base
    is_gone = mentions.index.map(lambda id_: targets.get(id_) == NOWHERE).to_numpy(bool)
    return replace(
        corpus,
        mentions=mentions.assign(chain=pd.Series(chains, dtype=object))[~is_gone],
        removed=pd.concat([corpus.removed, mentions[is_gone]]),
        correction=fields,
    )


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
            rows[id_] = {
                **rows.get(claim.target, blank),
                "doc": claim.add.rpartition("/")[0],
            }
            added[claim.add] = id_
        row = rows[added.get(claim.add, claim.mention)]
        if claim.tokens or claim.add:
            place = claim.add or f"{row['doc']}/{claim.tokens}"
            row["tokens"] = tokens_at(corpus, place, patch.name)[0]
        row["tag"] = claim.tag or row.get("tag")

    def fail(code: str, row: int, message: str, hint: str) -> FormatError:
        return not_there(message, patch.name)

    columns = {
        str(name): [row.get(name) for row in rows.values()] for name in corpus.mentions
    }
    columns["id"] = [*rows]
    documents = corpus.documents.values()
    return build(
        documents, columns, fail=fail, reviewed=corpus.reviewed
    ).mentions, added


def tokens_at(
    corpus: Corpus, place: str, name: object
) -> tuple[Tokens, tuple[str, int]]:
    """Return the tokens at a place, ``document/34-35,37``, and their sentence."""
    doc, _, text = place.rpartition("/")
    if doc in corpus.documents:
        document = corpus.documents[doc]
        numbers: list[int] = []
        for part in text.split(","):
            ends = list(map(integer, part.split("-")))
            if len(ends) > 2 or not 0 <= ends[0] <= ends[-1] < len(document.tokens):
                numbers = []
                break
            numbers += range(ends[0], ends[-1] + 1)
        sentences = {
            bisect_right(document.sentence_starts, number) - 1 for number in numbers
        }
        if len(sentences) == 1 and numbers == sorted(set(numbers)):
            return tuple(numbers), (doc, sentences.pop())
    raise not_there(f"'{text}' are not tokens of one sentence of '{doc}'", name)


def not_there(message: str, name: object) -> FormatError:
    """Return the error for a patch that names what the corpus lacks."""
    return FormatError(
        "input-mismatch",
        message,
        place=name,
        hint="use the corpus for which the patch was made",
    )


def check_known(mentions: Iterable[str], known: pd.Index[Any], place: object) -> None:
    """Raise FormatError for the first of the mentions that is not known."""
    for mention in mentions:
        if mention not in known:
            raise not_there(
                f"mention '{mention}' is not in the corpus or its key", place
            )


def origin_of(corpus: Corpus) -> dict[str, str]:
    """Return name and digest of a corpus and, as ``base``, the digest of the patch of its key."""
    origin = {"corpus": corpus.name, "digest": corpus.digest}
    base = corpus.correction.get("key_patch_digest")
    if base:
        origin["base"] = base
    return origin


def check_origin(
    about: Fields, corpus: Corpus, place: object, base: str = "base"
) -> None:
    """Raise FormatError unless the digest in ``about`` is that of ``corpus``, and so is the key.

    The field ``base`` is the digest of the patch that corrected the key; without it, the key must
    be uncorrected. Claims and cases hold for the key that they are about.
    """
    expected = {
        "corpus": about.get("corpus"),
        "digest": about.get("digest"),
        "base": about.get(base),
    }
    origin = origin_of(corpus)
    if any(expected[name] != origin.get(name) for name in ("digest", "base")):
        raise FormatError(
            "input-mismatch",
            f"made for {_origin_text(expected)}, not for {_origin_text(origin)}",
            place=place,
            hint="name that corpus and that key patch",
        )


def _origin_text(origin: Fields) -> str:
    return ", ".join(f"{name} {value!s:.12}" for name, value in origin.items() if value)
