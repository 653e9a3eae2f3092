"""CRAC's formats as responses of a model that changed the text, matched with the key."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cdec.formats import read
from cdec.matching import Matched, match_files
from tests.corefud.made import counts, matched
from tests.formats.made import kinds, parse, written
from tests.refusals import refused

NAMES = ("muc", "b3", "ceafe", "lea", "mor", "zeros", "mentions")


def changed(
    corefud: Path, edit: Callable[[list[str], list[set[int]]], list[str]]
) -> tuple[Matched, int]:
    """GUM's test part against its first document changed by ``edit``; its number of mentions.

    ``edit`` gets the tokens, and the tokens of each mention.
    """
    key = read(corefud / "gum-test" / "key.conllu")
    first, *others = written(key, "crac").splitlines()
    record = json.loads(written(key, "crac-json"))[0]
    spans = [set(range(a, b + 1)) for chain in record["clusters_token_offsets"] for a, b in chain]
    text = "\n".join([" ".join(edit(first.split(" "), spans)), *others])
    return match_files(key, parse(text)), len(spans)


def edited(match: Matched) -> list[str]:
    return [str(one) for one in match.notices if one.code in ("words-differ", "reading-assumed")]


def bare(tokens: list[str], spans: list[set[int]], depth: int) -> list[int]:
    """The tokens without brackets that are inside so many mentions, and occur once."""
    return [
        at
        for at, token in enumerate(tokens)
        if "|" not in token
        and sum(at in span for span in spans) == depth
        and tokens.count(token) == 1
    ]


def test_words_dropped_outside_mentions_change_no_score(corefud: Path) -> None:
    def edit(tokens: list[str], spans: list[set[int]]) -> list[str]:
        gone = bare(tokens, spans, 0)[:5]
        return [token for at, token in enumerate(tokens) if at not in gone]

    match, _ = changed(corefud, edit)
    assert kinds(match)["twinless"] == kinds(match)["missing-mention"] == 1  # that with a gap
    (notice,) = edited(match)
    assert "5 dropped, 0 added, 0 replaced" in notice


@pytest.mark.parametrize(
    ("twice", "counts_"),
    [("{0} {0}", "0 dropped, 1 added, 0 replaced"), ("x {0}x", "0 dropped, 1 added, 1 replaced")],
)
def test_a_word_doubled_or_split_makes_its_mentions_twinless(
    corefud: Path, twice: str, counts_: str
) -> None:
    around = 2

    def edit(tokens: list[str], spans: list[set[int]]) -> list[str]:
        at = bare(tokens, spans, around)[0]
        return [*tokens[:at], *twice.format(tokens[at]).split(), *tokens[at + 1 :]]

    match, _ = changed(corefud, edit)
    # Not guessed: as many key mentions are missing as response mentions are twinless.
    assert kinds(match)["twinless"] == kinds(match)["missing-mention"] == around + 1
    words, mentions = edited(match)
    assert counts_ in words
    assert mentions.startswith(f"{around} mentions are twinless")


def test_a_dropped_sentence_is_listed(corefud: Path) -> None:
    key = read(corefud / "gum-test" / "key.conllu")
    assert key.trees is not None
    sentence = key.trees.trees.sentence
    size, start = int((sentence == 1).sum()), int((sentence < 1).sum())
    inside = 0

    def edit(tokens: list[str], spans: list[set[int]]) -> list[str]:
        nonlocal inside
        gone = set(range(start, start + size))
        inside = sum(span <= gone for span in spans)
        return [token for at, token in enumerate(tokens) if at not in gone]

    match, mentions = changed(corefud, edit)
    assert 0 < inside < mentions
    assert kinds(match)["missing-mention"] == inside + 1
    assert kinds(match)["twinless"] == 1
    dropped = next(text for text in edited(match) if "sentence" in text)
    assert "1 sentence is dropped from the text (such as sentence 2 of " in dropped


def test_too_much_is_changed(corefud: Path) -> None:
    for share in (0.88, 0.92):

        def edit(tokens: list[str], spans: list[set[int]], share: float = share) -> list[str]:
            assert spans
            return tokens[: int(share * len(tokens))]

        if share > 0.9:
            assert edited(changed(corefud, edit)[0])
        else:
            with refused("text-mismatch", "at least 90 %", place="file:1"):
                changed(corefud, edit)
    with refused("text-mismatch", place="file:1"):  # the whole document twice
        changed(corefud, lambda tokens, spans: [*tokens, *tokens] if spans else [])


KEY = (
    "# newdoc id = d\n# global.Entity = eid-head\n"
    "1\tShe\t_\t_\t_\t_\t2\tnsubj\t_\tEntity=(e1-1)\n2\tleft\t_\t_\t_\t_\t0\troot\t_\t_\n"
    "2.1\t_\t_\t_\t_\t_\t_\t_\t2:obj\tEntity=(e1-1)\n\n"
    "1\tHe\t_\t_\t_\t_\t2\tnsubj\t_\tEntity=(e2-1)\n2\tsaw\t_\t_\t_\t_\t0\troot\t_\t_\n"
    "3\this\t_\t_\t_\t_\t4\tnmod\t_\tEntity=(e3-2(e2-1)\n"
    "4\tdog\t_\t_\t_\t_\t2\tobj\t_\tEntity=e3)\n\n"
)


def against_key(text: str, **policy: str) -> dict[str, list[float]]:
    return counts(matched(parse(KEY), parse(text), alignment="head", **policy), NAMES)


def test_zeros_and_mentions_that_are_not_in_the_key() -> None:
    whole = "She|[a] left ##|[a] He|[b] saw his|[c,[b] dog|c]"
    perfect = against_key(whole, zeros="dependent")
    assert perfect["mentions"] == [5, 5, 5, 5]
    assert perfect["zeros"] == [1, 1, 1, 1]
    # A second zero is wrong, one after another word too.
    assert against_key(whole.replace("##|[a]", "##|[a] ##|[a]"))["zeros"] == [1, 1, 1, 2]
    moved = whole.replace(" ##|[a]", "").replace("saw", "saw ##|[a]")
    assert against_key(moved, zeros="dependent")["zeros"] == [0, 1, 0, 1]
    # A bracket without a partner, and a mention beyond its sentence: twinless, in their chains.
    broken = against_key(whole.replace("dog|c]", "dog"))
    assert broken["mentions"] == [4, 5, 4, 5]
    beyond = against_key("She|[a] left|[x ##|[a] He|[b],x] saw his|[c,[b] dog|c]")
    assert beyond["mentions"] == [5, 5, 5, 6]
    assert against_key(whole.replace("dog|c]", "dog"), singletons="drop")["mentions"] == [
        4,
        4,
        4,
        4,
    ]


def test_a_chain_keeps_its_size_where_its_mentions_are_changed() -> None:
    """Of two mentions one has changed: the other is no singleton that is dropped."""
    more = [f"w{number}" for number in range(5, 20)]
    lines = [f"{n}\t{word}\t_\t_\t_\t_\t4\tdep\t_\t_\n" for n, word in enumerate(more, start=5)]
    key = f"{KEY.rstrip()}\n{''.join(lines)}\n"
    text = " ".join(["She|[a] left ##|[a] He|[b] saw his|[c,[b cat|c],b]", *more])
    match = matched(parse(key), parse(text), alignment="head", singletons="drop")
    assert counts(match, ["mentions"])["mentions"] == [3, 4, 3, 4]


def test_documents_of_the_key_must_be_there() -> None:
    two = KEY + KEY.replace("id = d", "id = e").replace("# global.Entity = eid-head\n", "")
    line = "She|[a] left ##|[a] He|[b] saw his|[c,[b] dog|c]"
    assert len(matched(parse(two), parse(f"{line}\n{line}\n")).response) == 10
    for text in (line, f"{line}\n\n{line}", f"{line}\n" * 3):
        with refused("text-mismatch", "document"):
            matched(parse(two), parse(text))
    record = json.loads(written(parse(two), "crac-json"))
    turned = json.dumps(record[::-1])
    assert len(matched(parse(two), parse(turned)).response) == 10
    with refused("text-mismatch", "'e'"):
        matched(parse(two), parse(turned.replace('"doc_id": "e"', '"doc_id": "x"')))
