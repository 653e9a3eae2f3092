"""Patches for tests, from groups of mentions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from cdec.auditing import Correction, Patch, patched_corpus
from cdec.corpus import Corpus
from cdec.errors import FormatError

Group = tuple[str, ...]


def patch_of(
    merge: Iterable[Group] = (),
    move: Iterable[Group] = (),
    about: Mapping[str, Any] | None = None,
    places: Mapping[str, str] | None = None,
    name: str = "patch",
    **edits: Any,
) -> Patch:
    """Return a patch with an operation for each merge, move and change of a mention."""
    remove, named = edits.pop("remove", ()), edits.items()
    operations = (
        *(Correction(merge=group) for group in merge),
        *(Correction(move=group) for group in move),
        *(Correction(remove=(mention,)) for mention in remove),
        *(
            Correction.model_validate({kind: {mention: value}})
            for kind, of in named
            for mention, value in of.items()
        ),
    )
    return Patch(operations, about or {}, places or {}, name)


@st.composite
def random_patches(draw: st.DrawFn, corpus: Corpus) -> Patch:
    """Draw a patch of ``corpus`` with operations of every kind; not every one can be applied."""
    events = corpus.selected
    near = [*map(str, events.index[:60])]  # few mentions, so that operations meet
    one = st.sampled_from(near)
    groups = st.lists(one, min_size=1, max_size=2, unique=True).map(tuple)
    moves = draw(st.lists(groups, max_size=4))
    kept, moved = [], set[str]()
    for group in moves:
        kept += [] if moved & {*group} else [group]
        moved |= {*group}
    merges = draw(
        st.lists(st.lists(one, min_size=2, max_size=3, unique=True).map(tuple), max_size=5)
    )
    used = moved.union(*map(set, merges))
    add = {place_of(corpus, id_): id_ for id_ in draw(st.lists(one, max_size=2, unique=True))}
    free = [id_ for id_ in near if id_ not in used | {*add.values()}]
    remove = draw(st.lists(st.sampled_from(free), max_size=2, unique=True)) if free else []
    tags = dict.fromkeys(draw(st.lists(one, max_size=2, unique=True)), "ACTION_STATE")
    span = {id_: wider(corpus, id_) for id_ in draw(st.lists(one, max_size=2, unique=True))}
    edits: dict[str, Any] = {"remove": remove, "span": span, "tag": tags, "add": add}
    return patch_of(merges, kept, about_of(corpus), **edits)


def about_of(corpus: Corpus) -> dict[str, str]:
    """Return ``about`` of a patch of a corpus, corrected or not."""
    base = corpus.correction.get("key_patch_digest")
    about = {"corpus": corpus.name, "digest": corpus.digest}
    return about | ({"base": base} if base else {})


def place_of(corpus: Corpus, mention: str) -> str:
    """Return the place of the last token of the sentence of a mention, for a missing mention."""
    row = corpus.mentions.loc[mention].to_dict()
    document = corpus.documents[row["doc"]]
    end = [*document.sentence_starts, len(document.tokens)][row["sentence"] + 1] - 1
    return f"{row['doc']}/{end}"


def wider(corpus: Corpus, mention: str) -> str:
    """Return the first token of the sentence of a mention, and its own last one, as its span."""
    row = corpus.mentions.loc[mention].to_dict()
    first = corpus.documents[row["doc"]].sentence_starts[row["sentence"]]
    return ",".join(map(str, sorted({first, row["end"]})))


def applied(corpus: Corpus, patch: Patch) -> Corpus:
    """Return the corrected corpus; the example is rejected if the patch contradicts itself."""
    try:
        return patched_corpus(corpus, patch)
    except FormatError:
        reject()


def partition(corpus: Corpus) -> set[frozenset[tuple[str, tuple[int, ...], str]]]:
    """Return the event chains as sets of places and tags, whatever their labels and ids are."""
    events = corpus.selected
    places = zip(events["doc"], events["tokens"], events["tag"], strict=True)
    chains: dict[str, set[tuple[str, tuple[int, ...], str]]] = {}
    for chain, place in zip(events["chain"], places, strict=True):
        chains.setdefault(chain, set()).add(place)
    return set(map(frozenset, chains.values()))
