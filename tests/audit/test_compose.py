"""Two patches as one: on any corpus it has the effect of one after the other, or is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from cdec import load_corpus
from cdec.auditing import Patch, composed, patched_corpus, read_patch
from cdec.corpus import Corpus
from cdec.errors import CdecError
from tests.audit.patches import about_of, applied, partition, patch_of, random_patches
from tests.cli.conftest import Run
from tests.refusals import refused

SAMPLE = load_corpus("sample")
PART = SAMPLE.subset(SAMPLE.selected["doc"].unique()[:8], "part")  # 0.1 s for two patches


def chains(corpus: Corpus) -> set[frozenset[str]]:
    groups = corpus.selected.groupby("chain").groups.values()
    return {frozenset(map(str, ids)) for ids in groups}


@given(st.data())
def test_one_patch_has_the_effect_of_both(data: st.DataObject) -> None:
    first = data.draw(random_patches(PART))
    middle = applied(PART, first)
    second = data.draw(random_patches(middle))
    after = applied(middle, second)
    try:
        patch = composed(first, second, PART)
    except CdecError as error:
        assert error.code == "patch-contradictory"
        assert first.add or second.add  # all else can be composed
        event("refused")
        return
    event("composed")
    made = patched_corpus(PART, patch)
    assert (partition(made), chains(made)) == (partition(after), chains(after))
    assert "base" not in patch.about


def after(first: Patch, *, merge: Any = (), move: Any = (), **edits: Any) -> Patch:
    """Return the composition of a patch with one of the key that it corrects."""
    about = about_of(patched_corpus(SAMPLE, first))
    return composed(first, patch_of(merge, move, about, **edits), SAMPLE)


def groups(patch: Patch) -> set[frozenset[str]]:
    """The chains that a patch changes."""
    return chains(patched_corpus(SAMPLE, patch)) - chains(SAMPLE)


def single(count: int) -> list[str]:
    sizes = SAMPLE.selected["chain"].map(SAMPLE.selected["chain"].value_counts())
    return [*map(str, sizes.index[sizes == 1][:count])]


def test_what_the_first_links_the_second_may_move_or_remove() -> None:
    a, b, c, d = single(4)
    first = patch_of([(a, b), (b, c)], about=about_of(SAMPLE))
    assert groups(after(first, move=[(b,)])) == {frozenset({a, c})}
    assert groups(after(first, remove=[b])) == {frozenset({a, c})}
    assert groups(after(first, move=[(b,)], merge=[(b, d)])) == {
        frozenset({a, c}),
        frozenset({b, d}),
    }
    assert groups(after(first, move=[(a, c)])) == {frozenset({a, c})}


def test_what_the_first_moves_the_second_may_return() -> None:
    chain = next(ids for ids in chains(SAMPLE) if len(ids) > 3)
    a, b, *rest = sorted(chain)
    first = patch_of(move=[(a, b)], about=about_of(SAMPLE))
    assert not groups(after(first, merge=[(a, rest[0])]))
    assert groups(after(first, move=[(a,)], merge=[(a, rest[0])])) == {
        chain - {b},
        frozenset({b}),
    }


def test_spans_tags_and_additions() -> None:
    a = single(1)[0]
    doc = str(SAMPLE.mentions["doc"][a])
    first = patch_of(about=about_of(SAMPLE), span={a: "0"}, tag={a: "ACTION_STATE"})
    patch = after(first, span={a: "0-1"}, add={f"{doc}/2": a})
    assert (patch.span, patch.tag) == ({a: "0-1"}, {a: "ACTION_STATE"})
    first = patch_of(about=about_of(SAMPLE), add={f"{doc}/2": a})
    middle = patched_corpus(SAMPLE, first)
    (new,) = {*middle.mentions.index} - {*SAMPLE.mentions.index}
    assert not after(first, remove=[str(new)]).operations
    with refused("patch-contradictory", str(new)):
        after(first, tag={str(new): "ACTION_CAUSATIVE"})


def test_the_key_of_a_patch(tmp_path: Path, cdec: Run) -> None:
    a, b, c = single(3)
    first = patch_of([(a, b)], about=about_of(SAMPLE), name="a.json")
    middle = patched_corpus(SAMPLE, first)
    second = patch_of([(b, c)], about=about_of(middle), name="b.json")
    with refused("input-mismatch", first.digest[:12], place="b.json"):
        patched_corpus(SAMPLE, second)
    with refused("input-mismatch", "a.json", place="a.json"):
        patched_corpus(middle, first)
    with refused("input-mismatch"):
        composed(second, first, SAMPLE)
    with refused("input-mismatch"):
        composed(first, replace(second, about={**second.about, "base": "0"}), SAMPLE)
    for patch in (first, second):
        (tmp_path / patch.name).write_text(patch.to_json(), "utf-8")
    target = tmp_path / "c.json"
    files = (tmp_path / "a.json", tmp_path / "b.json")
    ran = cdec("audit", "compose", *files, "--corpus", "sample", "-o", target)
    assert ran.code == 0, ran.err
    made = read_patch(target)
    assert groups(made) == {frozenset({a, b, c})}
    assert [part["digest"] for part in made.about["composed"]] == [first.digest, second.digest]


@pytest.mark.slow
def test_the_duplicates_and_a_second_patch_of_ecbplus(whole_ecbplus: Corpus) -> None:
    first = read_patch("ecbplus-duplicates")
    middle = patched_corpus(whole_ecbplus, first)
    linked = [group[0] for group in first.merge]
    second = patch_of(
        [(one, two) for one, two in zip(linked[::3], linked[1::3], strict=False)],
        [(id_,) for id_ in linked[::3]],
        about_of(middle),
        remove=linked[2::9],
        tag=dict.fromkeys(linked[1::9], "ACTION_STATE"),
    )
    patch = composed(first, second, whole_ecbplus)
    made, after_both = patched_corpus(whole_ecbplus, patch), patched_corpus(middle, second)
    assert chains(made) == chains(after_both)
    assert partition(made) == partition(after_both)
