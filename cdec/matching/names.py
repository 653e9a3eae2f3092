"""The document and the mention that a name in a file means.

``ECB+/24/24_1ecb.xml``, ``24/24_1ecb`` and ``24_1ecb`` are the same document. The name of a mention
is its id or has one of the forms below. Names are in a column of the file, or they are the tokens
on which the mentions are marked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import replace

import numpy as np
import pandas as pd

from cdec.arrays import StrSeries
from cdec.corpus.model import Documents
from cdec.errors import ScoringError
from cdec.formats.annotation import Annotation
from cdec.formats.reading import plain_words

_N = "([0-9]{1,7})"
_PLACE = rf"(?s)\A.+/{_N}-{_N}\Z"  # 36_1ecb/5-6: tokens 5 to 6
ID = r"(?s)\A(?P<doc>.+?)(?:\.xml)?[/_](?P<mention>[^/_]+)\Z"  # 36_1ecb/17, 36_1ecb.xml_17
# 36_1ecb_0_5_6: tokens 5 to 6 in sentence 0
SPAN_NAME = rf"(?s)\A(.+?)(?:\.xml)?[/_]{_N}[/_]{_N}[/_]{_N}\Z"
_META = (
    "metadoc_"  # before all mention ids of a file in the layout of Bugert et al. (2021)
)


# ---- documents ----


def path_of(name: str) -> list[str]:
    """Return the folders and the base name of a document, without ``.xml``."""
    return name.replace("\\", "/").removesuffix(".xml").split("/")


def pair_documents(
    names: Iterable[str],
    known: Iterable[str],
    file: str,
    aliases: Mapping[str, str] | None = None,
    elsewhere: Iterable[str] = (),
) -> dict[str, str]:
    """Return name → known name for those of ``names`` that match a known document.

    Each step pairs names that the steps before left alone:

    1. exact names;
    2. two or three folders and the base name, if they name all documents;
    3. base names, and ``aliases`` (other name → known name), name by name;
    4. the end of the other name after ``_``, if it is the end of no other, name by name:
       ``gun-violence_207542_4dc1`` and ``4dc1``;
    5. names with a part, an ending, or in another case, if they name all documents.

    A step that must name all documents must not name two alike; documents ``elsewhere`` in the
    corpus count, but are not returned. Raises ScoringError if a base name matches two known
    documents, or two names match the same one.
    """
    targets = dict.fromkeys(known)
    outside = [name for name in elsewhere if name not in targets]
    aliases = {
        alias: target
        for alias, target in (aliases or {}).items()
        if alias not in targets
    }
    pairs = {}
    # The names without a partner, and the documents without one.
    names_alone = dict.fromkeys(names)
    targets_alone = dict(targets)

    def add(pairs_of_step: Mapping[str, str]) -> None:
        """Add the pairs of a step."""
        for name, target in pairs_of_step.items():
            del names_alone[name]
            if target in targets:
                pairs[name] = target
                del targets_alone[target]

    def add_forms(forms: Iterable[tuple[Form, Form, int, bool]]) -> None:
        """Add the pairs of names in the same form, form by form."""
        for of_name, of_target, number, is_any_case in forms:
            if not names_alone:
                return
            names_in_form = _in_form(names_alone, of_name, number, is_any_case)
            candidates = [*targets_alone, *outside]
            targets_in_form = _in_form(candidates, of_target, number, is_any_case)
            add(_pairs_of_all(names_in_form, targets_in_form))

    in_corpus = {*targets, *outside}
    add({name: name for name in names_alone if name in in_corpus})
    add_forms((_path, _path, number, False) for number in (3, 2))
    add(_pairs_by_base_name(names_alone, _by_base_name(targets_alone, aliases), file))
    add(_pairs_by_end(names_alone, _by_base_name(targets_alone, aliases)))
    add_forms(
        (of_name, of_target, number, is_any_case)
        for is_any_case in (False, True)
        for number in _PATH_LENGTHS
        for of_name in (spelled_part, numbered_part)
        for of_target in (spelled_part, numbered_part)
    )
    return pairs


def _in_form(
    names: Iterable[str], form: Form, number: int, is_any_case: bool
) -> dict[str, str]:
    """Return name → its form, with this number of parts of the path: 1 is the base name."""
    forms = {name: "/".join(form(name).split("/")[-number:]) for name in names}
    if is_any_case:
        return {name: text.casefold() for name, text in forms.items()}
    return forms


def _pairs_of_all(
    names: Mapping[str, Hashable], targets: Mapping[str, Hashable]
) -> dict[str, str]:
    """Return name → target of the same form; nothing unless all have one, and no two the same.

    ``names`` and ``targets`` have the form of each.
    """
    of_form: defaultdict[Hashable, list[str]] = defaultdict(list)
    for target, form in targets.items():
        of_form[form].append(target)
    pairs = {}
    for name, form in names.items():
        same = of_form.get(form, [])
        if len(same) != 1:
            return {}
        pairs[name] = same[0]
    if len({*pairs.values()}) < len(pairs):
        return {}
    return pairs


def _pairs_by_base_name(
    names: Iterable[str], of_base: Mapping[str, Collection[str]], file: str
) -> dict[str, str]:
    """Return name → target of the same base name. Raises ScoringError for two of the same."""
    pairs = {}
    used_targets = set()
    for name in names:
        for target in of_base.get(path_of(name)[-1], ()):
            if name in pairs or target in used_targets:
                raise ScoringError(
                    "mention-unknown",
                    f"document '{name}' or '{target}' matches more than one document",
                    place=file,
                    hint="use the same document names in both",
                )
            pairs[name] = target
            used_targets.add(target)
    return pairs


def _pairs_by_end(
    names: Iterable[str], of_base: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return name → target of which one is the end of the other, and of no other."""
    free = {base: next(iter(same)) for base, same in of_base.items() if len(same) == 1}
    near = dict[tuple[str, str], None]()
    of_end: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        whole = path_of(name)[-1].removeprefix(_META)
        of_end[whole].append(name)
        near |= {(name, free[end]): None for end in _ends(whole) if end in free}
    for base, target in free.items():
        near |= {
            (name, target): None for end in _ends(base) for name in of_end.get(end, ())
        }
    uses = Counter(name for pair in near for name in pair)
    return {name: target for name, target in near if uses[name] == uses[target] == 1}


def _by_base_name(
    targets: Collection[str], aliases: Mapping[str, str]
) -> dict[str, dict[str, None]]:
    """Return base name, or alias → the targets that have it."""
    of_base: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for target in targets:
        of_base[path_of(target)[-1]][target] = None
    for alias, target in aliases.items():
        if target in targets:
            of_base[alias][target] = None
    return of_base


def aliases_of(documents: Documents) -> dict[str, str]:
    """Return the other name of each document of a corpus that has one → its id."""
    return {
        document.attributes["alias"]: id_
        for id_, document in documents.items()
        if document.attributes.get("alias")
    }


def _ends(name: str) -> list[str]:
    return [name, *(name[at.end() :] for at in re.finditer("_(?=.)", name, re.DOTALL))]


# Names of the same document in another form: a step compares one form of the names of a response
# with one of the known names.

Form = Callable[[str], str]
_ENDING = re.compile(
    r"\.(?:txt|xml|html?|sgml?|naf|ann|tsv|csv|jsonl?(?:ines)?|conllu?|(?:[a-z0-9]+_)*conll|gz)",
    re.IGNORECASE,
)
_PATH_LENGTHS = (100, 3, 2, 1)
# (NAME); part 000, NAME_part_000, NAME.p.0
_SPELLED_PART = re.compile(
    r"(?is)(.+?)(?:;? +part *|;part *|[_.:-]part[_.:-]?|\.p\.?)([0-9]{1,6})"
)
_NUMBERED_PART = re.compile(
    r"(?s)(.+)[_.:#-]([0-9]{1,6})"
)  # NAME_0, NAME.0, NAME:0, NAME-000


def _path(name: str) -> str:
    return "/".join(path_of(name))


def _plain(name: str) -> str:
    """Return a name with ``/`` between folders, without endings, and without brackets around it."""
    plain = name.strip().replace("\\", "/")
    while (
        (ending := _ENDING.search(plain))
        and ending.end() == len(plain)
        and ending.start()
    ):
        plain = plain[: ending.start()]
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1]
    return plain


def spelled_part(name: str) -> str:
    """Return a name with its part, 0 if it does not say that it is one.

    >>> spelled_part("(nw/fire_0001); part 000"), spelled_part("nw/fire_0001.v4_gold_conll")
    ('nw/fire_0001; part 0', 'nw/fire_0001; part 0')
    """
    return _with_part(name, [_SPELLED_PART])


def numbered_part(name: str) -> str:
    """Return a name with its part, which may be a number behind it.

    >>> numbered_part("nw/fire_0001_0"), numbered_part("nw/fire_0001; part 001")
    ('nw/fire_0001; part 0', 'nw/fire_0001; part 1')
    """
    return _with_part(name, [_SPELLED_PART, _NUMBERED_PART])


def _with_part(name: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """Return a name with its part by the first of these patterns that fits, 0 if none does."""
    plain = _plain(name)
    for pattern in patterns:
        match = pattern.fullmatch(plain)
        if match:
            return f"{_plain(match[1])}; part {int(match[2])}"
    return f"{plain}; part 0"


def pair_by_words(
    documents: Mapping[str, Sequence[str] | None],
    texts: Mapping[str, Sequence[str] | None],
) -> dict[str, str]:
    """Return document → the text of ``texts`` with the same words.

    Nothing unless each has exactly one such text, and no two the same.

    >>> pair_by_words({"0": ["A", "fire"]}, {"x": ["a", "fire"], "y": ["It"]})
    {'0': 'x'}
    """
    if not all(documents.values()):
        return {}
    return _pairs_of_all(_plain_texts(documents), _plain_texts(texts))


def _plain_texts(
    texts: Mapping[str, Sequence[str] | None],
) -> dict[str, tuple[str, ...]]:
    return {name: tuple(map(plain_words, text or ())) for name, text in texts.items()}


# ---- mentions ----


def with_tokens(file: Annotation, ids: Iterable[str]) -> Annotation:
    """Return the mentions with the tokens of names ``doc/start-end``, unless these are ids."""
    table = file.mentions
    names = table["mention"].astype(object).where(table["start"] < 0, "")
    spans = names.str.extract(_PLACE).dropna().astype(np.int64)
    is_id = names[spans.index].isin(list(ids))
    spans = spans[(spans[0] <= spans[1]) & ~is_id]
    if not len(spans):
        return file
    table = table.copy()
    table.loc[spans.index, ["start", "end"]] = spans.to_numpy()
    return replace(file, mentions=table)


def with_documents(file: Annotation) -> Annotation:
    """Return the mentions with documents taken from names such as ``36_1ecb.xml_17``.

    A name without a document counts as a document, so that the notice can name it.
    """
    table = file.mentions
    bare = ((table["start"] < 0) & (table["doc"] == "")).to_numpy()
    if not bare.any():
        return file
    names = table["mention"]
    parts = names.astype(object).str.extract(ID)
    doc = table["doc"].mask(bare, parts["doc"].fillna(names))
    mention = names.mask(bare, parts["mention"].fillna(names))
    mentions = table.assign(doc=doc, mention=mention)
    return replace(file, mentions=mentions, documents=dict.fromkeys(doc))


def whole_ids(table: pd.DataFrame) -> StrSeries:
    """Return ``doc/number`` for any form of the name of each mention; '' for no name.

    >>> names = ["1_1ecb.xml_7", "7", ""]
    >>> whole_ids(pd.DataFrame({"doc": "1_1ecb", "mention": names})).tolist()
    ['1_1ecb/7', '1_1ecb/7', '']
    """
    ids = []
    for doc, name in zip(table["doc"], table["mention"], strict=True):
        if not name or name.startswith(f"{doc}/"):
            ids.append(name)
            continue
        parts = re.match(ID, name)
        if parts and path_of(parts["doc"])[-1] == path_of(doc)[-1]:
            ids.append(f"{doc}/{parts['mention']}")
        else:
            ids.append(f"{doc}/{name}")
    return pd.Series(ids, table.index, dtype=object)
