"""CRAC's plain text and JSON: what is read and written, and texts that a model has changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from cdec.evaluation.presets import find_preset
from cdec.formats import Annotation, read
from cdec.formats.conllu.writer import over_trees
from cdec.matching import Matched, match_corpus, match_files
from tests.cli.conftest import Run
from tests.corefud.made import counts, matched
from tests.formats.made import corpus, kinds, parse, rows, written
from tests.refusals import refused

# Files with a fault: content, line, code.
TEXTS: dict[str, tuple[str, int | None, str]] = {
    "empty": (" \n", None, "file-empty"),
    "too many empty nodes": ("a|[e1]\nb" + 101 * " ##", 2, "tokens-invalid"),
}
JSON: dict[str, tuple[str, int | None, str]] = {
    "no list": ('{"clusters_token_offsets": 1}', None, "format-undetected"),
    "no tokens": ('[{"clusters_token_offsets": []}]', None, "field-invalid"),
    "no clusters": ('[{"tokens": ["a"], "clusters": [[[0, 0]]]}]', None, "field-invalid"),
    "clusters are 0": ('[{"tokens": ["a"], "clusters_token_offsets": 0}]', None, "field-invalid"),
    "a token is a number": (
        '[{"tokens": [1], "clusters_token_offsets": []}]',
        None,
        "field-invalid",
    ),
    "beyond the text": (
        '[{"tokens": ["a"], "clusters_token_offsets": [[[0, 1]]]}]',
        None,
        "tokens-invalid",
    ),
    "end before start": (
        '[{"tokens": ["a", "b"], "clusters_token_offsets": [[[1, 0]]]}]',
        None,
        "tokens-invalid",
    ),
    "not a pair": ('[{"tokens": ["a"], "clusters_token_offsets": [[0]]}]', None, "tokens-invalid"),
    "a document twice": (
        '[{"doc_id": "d", "tokens": ["a"], "clusters_token_offsets": []},'
        '{"doc_id": "d", "tokens": ["a"], "clusters_token_offsets": []}]',
        None,
        "conll-structure",
    ),
    "cut off": ('[{"tokens": ["a"],\n "clusters_token_offsets": [[', 2, "json-invalid"),
}
NAMES = ("muc", "b3", "ceafe", "lea", "mor", "zeros", "mentions")
# The SHA-256 of the files that ondfa/text2text-coref 56d67ec (conllu2text -z) writes.
THEIRS = {
    "pdtc-ft": "63a2be66c693b25e5fb69c89b2b7d9733b5526000b7fccda8b3dacfec3d9edd0",
    "gum-test": "fbba9652654d4fdf3f5cec254cd5ff2716bf5fca061632b3a1fbcb20c514eec7",
}


@pytest.mark.parametrize(("text", "line", "code"), TEXTS.values(), ids=TEXTS)
def test_text_is_refused(text: str, line: int | None, code: str) -> None:
    with refused(code, place=f"file:{line}" if line else "file"):
        parse(text, format_="crac")


@pytest.mark.parametrize(("text", "line", "code"), JSON.values(), ids=JSON)
def test_json_is_refused(text: str, line: int | None, code: str) -> None:
    with refused(code, place=f"file:{line}" if line else "file"):
        parse(text, format_="crac-json")


@pytest.mark.parametrize(
    ("text", "format_", "place"),
    [
        ("a|[e1],[e1] b", "crac", "file:1"),
        ('[{"tokens": ["a"], "clusters_token_offsets": [[[0, 0], [0, 0]]]}]', "crac-json", "file"),
    ],
)
def test_a_mention_twice_is_noted_as_in_conllu(text: str, format_: str, place: str) -> None:
    codes = {notice.code: notice.all_cases for notice in parse(text, format_=format_).notices}
    assert codes["mentions-same-span"] == (f"e1 at {place}",)


def test_brackets_and_empty_nodes() -> None:
    made = parse("a|[e1,[e2 ##x|[e1] b|e1] c|e2],[e1]\n[|[e1] b|c d|e1\n")
    assert made.format == "crac"
    assert made.documents == {"1": ("a", "b", "c"), "2": ("[", "b|c", "d|e1")}
    assert rows(made) == {
        ("1", 0, 1, (), "e1"),
        ("1", 0, 2, (), "e2"),
        ("1", -1, -1, (), "e1"),
        ("1", 2, 2, (), "e1"),
        ("2", 0, 0, (), "e1"),
    }
    assert made.mentions["line"].tolist() == [1, 1, 1, 1, 2]
    assert written(made, "crac").startswith("a|[e1,[e2 ##x|[e1] b|e1] c|[e1],e2]\n[|[e1] b|c d|e1")


def test_one_mention_ends_where_the_next_of_its_chain_begins() -> None:
    made = parse("a|[e1 b|e1],[e1 c|e1]\n")
    assert rows(made) == {("1", 0, 1, (), "e1"), ("1", 1, 2, (), "e1")}
    assert written(made, "crac") == "a|[e1 b|e1],[e1 c|e1]\n"


def test_a_table_with_labels_like_brackets_is_a_table() -> None:
    assert parse("doc,start,end,chain\nd,0,1,x|[1]\n").format == "csv"
    assert parse("[ a , chain , b|[e1] ]|[e1]\n").format == "crac"
    assert parse("no mention\na|[e1]\n").format == "crac"


def test_labels_with_reserved_signs() -> None:
    key = parse('{"clusters": {"a,b|[-]%": [{"doc": "d", "tokens": [0]}]}}')
    bank = parse("x|[e1] y\n").trees
    assert bank is not None
    renamed = key.mentions.assign(doc="1")
    again = parse(
        written(over_trees(Annotation("k", "json", renamed, {"1": ("x", "y")}), bank.trees), "crac")
    )
    assert again.mentions["chain"].tolist() == ["a,b|[-]%"]


@pytest.mark.parametrize("text", ["a|[e1] ##b", "a|[e1 b|[e2 c|e1] d|e2]", "a|[x c|[x d|x] e|x]"])
def test_what_is_written_is_read_back(text: str) -> None:
    assert written(parse(text), "crac") == text + "\n"
    again = parse(written(parse(text), "crac-json"))
    assert again.format == "crac-json"
    assert {row[:4] for row in rows(again)} == {row[:4] for row in rows(parse(text))}


def test_words_that_read_as_something_else_are_not_written() -> None:
    for word in ("##x", "a|[e1]"):
        record = [{"doc_id": "d", "tokens": ["b", "c"], "clusters_token_offsets": [[[0, 0]]]}]
        made = parse(json.dumps(record))
        bank = parse(written(made, "conllu").replace("\tc\t", f"\t{word}\t"))
        with refused("format-unsuitable", word):
            written(bank, "crac")


def test_mentions_of_a_chain_that_cross_are_json_only() -> None:
    record = {"tokens": list("abcd"), "clusters_token_offsets": [[[0, 2], [1, 3]]]}
    made = parse(json.dumps([record]))
    with refused("format-unsuitable", "token 1"):
        written(made, "crac")
    assert rows(parse(written(made, "crac-json"))) == rows(made)


@pytest.mark.parametrize("name", ["pdtc-ft", "gum-test"])
def test_documents_are_those_of_the_converter_of_the_shared_task(corefud: Path, name: str) -> None:
    """All but one: where an empty node has an empty node as parent, theirs depends on rounding."""
    lines = written(read(corefud / name / "key.conllu"), "crac").splitlines(keepends=True)
    kept = [line for line in lines if "##supported" not in line]
    assert len(lines) - len(kept) == (name == "gum-test")
    assert sha256("".join(kept).encode()).hexdigest() == THEIRS[name]


def places(annotation: Annotation, labels: bool) -> Counter[tuple[tuple[int, ...], str]]:
    """The nodes of each mention in the text of the file, with its chain."""
    bank = annotation.trees
    assert bank is not None
    spans = (bank.entities.nodes[a:b] for a, b in pairwise(bank.entities.bounds))
    chains = [chain if labels else "" for chain in annotation.mentions["chain"]]
    return Counter(
        (tuple(bank.trees.place[nodes].tolist()), chain)
        for nodes, chain in zip(spans, chains, strict=True)
    )


@pytest.mark.parametrize("format_", ["crac", "crac-json"])
@pytest.mark.parametrize("name", ["pdtc-ft", "gum-test"])
def test_whole_files_there_and_back(
    cdec: Run, corefud: Path, tmp_path: Path, name: str, format_: str
) -> None:
    """All mentions but those with a gap, which are counted, have the nodes and the chain again."""
    gaps = {"pdtc-ft": 20, "gum-test": 1}[name]
    key, text, back = corefud / name / "key.conllu", tmp_path / "text", tmp_path / "back.conllu"
    there = cdec("corpus", "convert", str(key), "-o", str(text), "--to", format_)
    assert f"warning: {gaps} mention" in there.err and "gap" in there.err
    again = cdec(
        "corpus", "convert", str(text), "-o", str(back), "--to", "conllu", "--over", str(key)
    )
    alike = {"pdtc-ft": "2 mentions have the words of another", "gum-test": ""}[name]
    assert [alike in line for line in again.err.splitlines()] == [True] * bool(alike), again.err
    labels = format_ == "crac"
    ours, theirs = (places(read(file), labels) for file in (key, back))
    assert ((ours - theirs).total(), (theirs - ours).total()) == (gaps, gaps)
    texts = [read(file).documents for file in (key, back)]
    assert texts[0] == texts[1]


def test_a_perfect_response_has_the_scores_of_the_format(corefud: Path) -> None:
    """Only the 20 mentions with a gap differ; without it, two of them are other mentions."""
    key = read(corefud / "pdtc-ft" / "key.conllu")
    match = match_files(key, parse(written(key, "crac")))
    assert (kinds(match)["missing-mention"], kinds(match)["twinless"]) == (20, 18)


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


def test_a_bracket_without_a_partner_is_refused_elsewhere(tmp_path: Path) -> None:
    made = parse("a|[e1] b|[e2\n")
    with refused("brackets-invalid", "'e2'", place="file:1"):
        match_files(made, parse("a|[e1] b\n"))
    with refused("brackets-invalid", "'e2'"):
        match_corpus(made, corpus())
    for format_ in ("csv", "crac", "conllu"):
        with refused("brackets-invalid", "'e2'"):
            written(made, format_)
    path = tmp_path / "mine.txt"
    path.write_text("a|[e1] b|e2]\n", "utf-8")
    assert read(path).broken is not None


def test_plain_text_as_key() -> None:
    line = "a|[e1] b ##|[e1] c|[e2 d|e2] " + "x " * 20
    match = match_files(parse(line), parse(line.replace("x", "y x", 1)))
    assert counts(match, ["mentions"])["mentions"] == [3, 3, 3, 3]
    assert kinds(match)["words-differ"] == 1


def test_a_declaration_does_not_move_lines(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text('# cdec: {"seed": 3}\na|[e1] b\n\nc|[e1]\n', "utf-8")
    made = read(path)
    assert (made.declared, list(made.documents)) == ({"seed": 3}, ["1", "3"])
    assert made.mentions["line"].tolist() == [2, 4]


def test_a_blank_first_line_is_a_document_without_tokens() -> None:
    text = "a|[e1] b\nc|[e2] d\n"
    for before, names in (
        ("", ["1", "2"]),
        ("\n", ["2", "3"]),
        ('# cdec: {"seed": 1}\n', ["1", "2"]),
    ):
        mentions = parse(before + text).mentions
        assert mentions["doc"].tolist() == names
        assert (mentions["line"] - (before != "")).tolist() == [1, 2]


def test_brackets_without_a_partner_are_not_noted_as_the_same_words() -> None:
    for text, noted in (("the|[e2,[e7 b", False), ("the|[e2],[e7] b", True)):
        codes = {notice.code for notice in parse(text + "\n").notices}
        assert ("mentions-same-span" in codes) == noted


@pytest.mark.parametrize("indent", [None, 1])
def test_a_document_of_json_that_is_in_no_list(indent: int | None) -> None:
    document = {"doc_id": "d", "tokens": ["She"], "clusters_token_offsets": [[[0, 0]]]}
    with refused("format-undetected", "list of documents") as error:
        parse(json.dumps(document, indent=indent))
    assert "write [ before it" in str(error.value)


def test_presets_of_later_years_are_those_of_2024() -> None:
    earlier = find_preset("crac24")
    for name in ("crac25", "crac26"):
        preset = find_preset(name)
        assert (preset.policy, preset.metrics) == (earlier.policy, earlier.metrics)


def test_options_without_effect_are_refused(cdec: Run, corefud: Path, tmp_path: Path) -> None:
    key = str(corefud / "made" / "shift.key.conllu")
    out = ("-o", str(tmp_path / "out"))
    for given, code in (
        (("--to", "conll8", "--over", key), "option-requires"),
        (("--to", "crac", "--over", key), "format-unsuitable"),
        (("--to", "crac", "--as", "ecbplus"), "option-conflict"),
    ):
        ran = cdec("corpus", "convert", key, *out, *given)
        assert ran.error == code, ran.err
