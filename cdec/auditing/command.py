"""``cdec audit`` and its commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, option, refuse, require
from cdec.errors import ScoringError, UsageError, counted, one_of, warn_of

if TYPE_CHECKING:
    from cdec.auditing.shortlist import ShortList
    from cdec.corpus.model import Corpus

app = typer.Typer(
    help="Find, review and correct annotation errors.\n\n"
    "\b\n# Find suspected errors, and write the page for reviewers\n"
    "cdec audit run -o cases.jsonl\ncdec audit review cases.jsonl -o review.html\n"
    "# Correct the key by their decisions, and score against it\n"
    "cdec audit apply decisions.json -o patch.json\ncdec eval --key-patch patch.json",
    no_args_is_help=True,
)
Decisions = Annotated[
    list[Path],
    argument(
        "DECISIONS...",
        "Exports of the page. With --list also exports of Label Studio and tables of answers (CSV: "
        "case, verdict, correction, reason).",
    ),
]
ListOf = Annotated[
    Path | None,
    option(
        "--list CASES",
        "Short-list that was judged. In a patch its detectors become the evidence of each claim.",
    ),
]
SHOWN = 10  # pairs of the page, findings of the gate in a message


@dataclass
class Cases(o.Report):
    """The options of a command whose page can also be a list of cases, in JSON Lines."""

    lists = MappingProxyType({"jsonl": (".jsonl",)})


@dataclass
class Choice:
    """The cases of a list to keep."""

    kind: list[str] | None = option(
        "--kind KIND", "Keep cases of this kind (repeatable).", default=None
    )
    topic: list[str] | None = option(
        "--topic TOPIC", "Keep cases of this topic (repeatable).", default=None
    )
    word: list[str] | None = option(
        "--word WORD",
        "Keep cases with this word in a mention. Repeatable.",
        default=None,
    )
    top: int | None = option(
        "--top N",
        "Keep at most N cases. Copies of a sentence are one; default of run: 300.",
        default=None,
        min=1,
    )

    def of(
        self, listed: ShortList, corpus: Corpus, *, start: bool = False
    ) -> ShortList:
        """Return the chosen cases; ``start``: of the list to start on.

        Raises UsageError if there is none.
        """
        from cdec.auditing.shortlist import START

        mentions = None
        if self.word:
            any_word = "|".join(map(re.escape, self.word))
            has_word = corpus.mentions["text"].str.contains(any_word, case=False)
            mentions = {*corpus.mentions.index[has_word]}
        chosen = listed.select(
            kinds=self.kind or (),
            topics=self.topic or (),
            among=mentions,
            top=self.top or (START if start else None),
            reviewed=start and listed.lists_reviewed,
        )
        pairs = chosen.pairs is not None and len(chosen.pairs)
        if not chosen.cases and not pairs and (listed.cases or not start):
            raise UsageError(
                "part-too-small",
                f"none of {counted(len(listed.cases), 'case')} is chosen",
                hint=f"drop --kind, --topic or --word{', or add --all' if start else ''}",
            )
        return chosen

    def check(self, corpus: Corpus) -> None:
        """Raise UnknownNameError for an unknown kind or topic, before the work begins."""
        from cdec.auditing.case import KINDS

        for one in self.kind or ():
            one_of("kind of case", one, KINDS)
        topics = dict.fromkeys(document.topic for document in corpus.documents.values())
        for one in self.topic or ():
            one_of("topic", one, topics)


@command(app, "run")
def run(
    detector: Annotated[
        list[str] | None,
        option(
            "--detector DETECTOR",
            "Run only this detector (repeatable). `cdec plugins` lists them; by default all "
            "(systems with --response only).",
        ),
    ] = None,
    delta: Annotated[
        float, option("--delta X", "Smallest anchor |a| that the SVM flags.")
    ] = 0.95,
    response: Annotated[
        list[str] | None,
        option(
            "--response -r [NAME=]FILE",
            "A response whose links vote. What half of the systems link and the key separates is a "
            "case. It is a file, leaderboard:NAME or pairs:FILE. Runs of a system, NAME=FILE,FILE, "
            "share one vote, and so do published systems of one family.",
        ),
    ] = None,
    every: Annotated[
        bool, option("--all", "Keep every case. Also those outside reviewed sentences.")
    ] = False,
    key_patch: o.KeyPatch = None,
    *,
    choice: Choice,
    source: o.Whole,
    split: o.Part = "all",
    work: o.Work,
    out: Cases,
) -> None:
    """List suspected annotation errors of a corpus, the most probable first.

    The first 300 cases in reviewed sentences; without --output, ten are shown.
    On ECB+ cases have probabilities, on other corpora ranks.

    \b
    # The list to review
    cdec audit run -o cases.jsonl
    # All cases of one kind and one topic, for a spreadsheet
    cdec audit run --all --kind missing-cluster-cluster --topic 5 -o topic5.csv
    # The short-list of the paper: pairs of mentions by their anchors
    cdec audit run --detector svm --word watergate -o pairs.csv
    # With what systems, or other annotators, link
    cdec audit run --response mine.conll -o cases.jsonl
    """
    from cdec.auditing.cases import audit
    from cdec.auditing.page import cases_page, pairs_page
    from cdec.auditing.shortlist import WRITERS

    if detector and "svm" not in detector:
        require("the detector svm", "delta")
    part = source.load(split and o.split_part(split, "all"), key_patch)
    choice.check(part)
    found = audit(part, detectors=detector, delta=delta, responses=response or ()).value
    chosen = choice.of(found, part, start=not every)
    pairs = chosen.pairs
    if (
        out.format in WRITERS
        and out.output
        and out.output.suffix[1:].lower() == out.format
    ):
        of_all = counted(len(chosen.cases), "case")
        if len(chosen.groups) < len(chosen.cases):
            of_all += f" in {counted(len(chosen.groups), 'group')}"
        if pairs is not None and out.format == "csv":
            chosen = replace(chosen, pairs=pairs[: choice.top])
            of_all = f"{len(pairs[: choice.top]):,} pairs"
        said = f"{of_all}, of {len(found.cases):,}, written to {out.output}"
        return out.save(WRITERS[out.format](chosen, part), out.output, said)
    if pairs is not None:
        return out.show(pairs_page(chosen, part, delta, choice.top or SHOWN))
    return out.show(cases_page(chosen, part, len(found.cases)))


@command(app, "review")
def review(
    cases: Annotated[
        Path, argument("CASES", "Short-list of `cdec audit run -o CASES.jsonl`.")
    ],
    output: Annotated[
        Path,
        option(
            "--output -o FILE",
            "The page (.html), or tasks (.json). With .xml the interface of Label Studio for them.",
        ),
    ] = Path("review.html"),
    disputed: Annotated[
        tuple[Path, Path] | None,
        option(
            "--disputed A B",
            "Only cases on which these two decisions files disagree. Their verdicts are not shown: "
            "the third reader decides.",
        ),
    ] = None,
    key_patch: o.KeyPatch = None,
    *,
    choice: Choice,
    source: o.Whole,
    out: o.Messages,
) -> None:
    """Write the page on which reviewers judge the cases: one HTML file, no server, no network.

    With --output FILE.json, the cases are tasks for Label Studio or a language model,
    without scores and reasons.

    \b
    # All cases in one page
    cdec audit review cases.jsonl -o review.html
    # The first hundred of one topic
    cdec audit review cases.jsonl --topic 5 --top 100 -o topic5.html
    # The cases on which two reviewers disagree
    cdec audit review cases.jsonl --disputed ann.json bob.json
    # Tasks for Label Studio, or for another reader, who answers in a table
    cdec audit review cases.jsonl -o tasks.json
    """
    from cdec.auditing.decisions import listed_on, read_votes
    from cdec.auditing.review import own_file, to_page
    from cdec.auditing.tasks import to_tasks

    o.check_output(output, ".html", ".json", ".xml")
    if output.suffix.lower() == ".xml":
        interface = own_file("label_studio.xml")
        return out.save([interface], output, f"labelling interface written to {output}")
    whole = source.load(key_patch=key_patch)
    choice.check(whole)
    listed = listed_on(whole, cases)
    if disputed:
        votes = read_votes(disputed, whole, cases)
        several = votes.groupby("case", sort=False)["said"].nunique() > 1
        if not several.any():
            raise UsageError(
                "part-too-small",
                "the readers agree on every case",
                hint="leave out --disputed",
            )
        listed = listed.select(ids=[*several.index[several]])
    chosen = choice.of(listed, whole)
    as_tasks = output.suffix.lower() == ".json"
    lines = to_tasks(chosen, whole) if as_tasks else [to_page(chosen, whole)]
    said = f"{counted(len(chosen.cases), 'case')} written to {output}; it quotes the corpus"
    return out.save(lines, output, said)


@command(app, "apply")
def apply(
    decisions: Decisions,
    output: Annotated[
        Path, option("--output -o FILE.json", "File to write the patch to.")
    ] = Path("patch.json"),
    to: Annotated[
        str,
        option(
            "--to patch|ecbplus|FOLDER",
            "ecbplus: the corrected XML, in the folder --output. FOLDER of brat, of which the "
            "corpus was made: its files, likewise. Only what the patch changes differs; DECISIONS "
            "may then be a patch, by file or name.",
        ),
    ] = "patch",
    skip_conflicts: Annotated[
        bool,
        option("--skip-conflicts", "Leave out corrections that exclude each other."),
    ] = False,
    shortlist: ListOf = None,
    checked: Annotated[
        bool,
        option(
            "--gate",
            "Refuse a patch after which copies of a reviewed sentence are divided, or differ, "
            "that did not before; DECISIONS may then be a patch.",
            rare=True,
        ),
    ] = False,
    key_patch: o.KeyPatch = None,
    *,
    source: o.Whole,
    out: o.Messages,
) -> None:
    """Write a patch of the key: to which chains mentions belong, and which chains are one.

    The majority of reviewers decides; ties are left out and listed. Claims that
    contradict each other are an error that names them. The corpus is not changed.

    \b
    # One reviewer, then the scores against the corrected key
    cdec audit apply decisions.json -o patch.json
    cdec eval --setting pure --key-patch patch.json
    # Two reviewers, with the detectors of each case as evidence
    cdec audit apply ann.json bob.json --list cases.jsonl
    # The corrected ECB+ as XML
    cdec audit apply patch.json --to ecbplus -o corrected
    # Files of brat in the folder ann, corrected: lines keep their ids
    cdec audit apply patch.json --corpus mine --to ann -o corrected
    """
    from cdec.auditing.claims import corrected, is_patch, read_patch
    from cdec.auditing.correct import gate, patch_of
    from cdec.auditing.decisions import read_votes
    from cdec.auditing.edited import check_empty, save_edited
    from cdec.corpus.source import open_source
    from cdec.corpus.store import locate
    from cdec.plugins import part_of_room

    if not Path(to).is_dir():
        one_of("result", to, ("patch", "ecbplus"))
    if to == "patch":
        o.check_output(output, ".json")
    else:
        check_empty(output)
    whole = source.load(key_patch=key_patch)
    if len(decisions) == 1 and is_patch(decisions[0]):
        refuse("a patch as DECISIONS", "shortlist", "skip_conflicts")
        patch = read_patch(decisions[0])
    else:
        votes = read_votes(decisions, whole, shortlist)
        patch = patch_of(votes, whole, skip=skip_conflicts)
    if checked and (found := gate(whole, patch)):
        raise ScoringError(
            "check-failed",
            f"copies of reviewed sentences: {'; '.join(found[:SHOWN])}",
            place=patch.name,
            hint="let claims hold for all copies of a sentence",
        )
    if to != "patch":
        key = corrected(whole, patch)
        if to == "ecbplus":
            save_edited(open_source(locate(source.corpus).path), key, output)
        else:
            part_of_room("written back", "brat")(Path(to), key, output)
        return out.say(
            f"corrected corpus written to {output} (patch {patch.digest[:12]})"
        )
    cases = counted(len({claim.case for claim in patch.claims}), "case")
    said = f"{counted(len(patch.claims), 'claim')} of {cases} written to {output}"
    return out.save([patch.to_json()], output, f"{said} (digest {patch.digest[:12]})")


@command(app, "report")
def report(
    decisions: Decisions,
    shortlist: ListOf = None,
    scored: o.Texts = option(
        "--score [NAME=]FILE|SYSTEM",
        "Also score this response or baseline with the key before and after the corrections.",
        default=None,
    ),
    key_patch: o.KeyPatch = None,
    *,
    source: o.PartOf,
    out: o.Figured,
) -> None:
    """Show the verdicts of reviewers, their reasons, and how well they agree.

    Agreement is Gwet's AC1 and Cohen's κ, on the verdict, and on verdict and correction.
    The corrections that --score applies are those of `cdec audit apply`, on the part --split.

    \b
    # Agreement between two reviewers
    cdec audit report ann.json bob.json
    # What the corrections do to scores: the key before and after
    cdec audit report ann.json --score mine.conll --score lemma
    """
    from cdec.auditing.correct import left_out, patch_of
    from cdec.auditing.decisions import read_votes, settled
    from cdec.auditing.report import report_page, scored_page
    from cdec.corpus.splits import named_part

    whole = source.load(key_patch=key_patch)
    votes = read_votes(decisions, whole, shortlist)
    if len({*votes["reader"]}) < 2:
        require(
            "a second reader", "figures", hint="add the decisions of another reader"
        )
    page = report_page(votes, whole)
    if not scored:
        require("--score", "split")
        warn_of(left_out(*settled(votes)))
        return out.show(page)
    before, responses = source.responses(
        scored, o.Parameters(config=None, model=None), key_patch
    )
    part = named_part(before.part)
    if source.split:
        part = o.split_part(source.split)
    patch = patch_of(votes, whole)
    return out.show(scored_page(page, patch, whole, before, responses, split=part))
