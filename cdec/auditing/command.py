"""``cdec audit`` and its commands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdec.cli import options as o
from cdec.cli.command import argument, command, listed, option, refuse, require
from cdec.errors import ScoringError, UsageError, check_number, counted, one_of

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
ReviewedOnly = Annotated[
    str,
    option(
        "--reviewed only|outside|all",
        "Keep corrections in (product A) or outside (B) reviewed sentences. Default: all.",
        rare=True,
    ),
]
Decisions = argument(
    "DECISIONS...",
    "Exports of the page. With --list also exports of Label Studio and "
    "tables of answers (CSV: case, verdict, correction, reason).",
)
ListOf = Annotated[
    Path | None,
    option(
        "--list CASES",
        "Short-list that was judged. In a patch its detectors become the evidence of each claim.",
    ),
]


@dataclass
class Choice:
    """The cases of a list to keep."""

    kind: Annotated[
        list[str] | None,
        option(
            "--kind KIND",
            "Keep cases of this kind (repeatable).",
        ),
    ] = None
    topic: Annotated[
        list[str] | None,
        option("--topic TOPIC", "Keep cases of this topic (repeatable)."),
    ] = None
    word: Annotated[
        list[str] | None,
        option("--word WORD", "Keep cases with this word. Repeatable."),
    ] = None
    top: Annotated[
        int | None,
        option(
            "--top N",
            "Keep at most N cases. Copies of a sentence are one; default of run: 300.",
        ),
    ] = None

    def of(self, cases: ShortList, corpus: Corpus, *, every: bool = True) -> ShortList:
        """Return the chosen cases: by default all, or those to start on.

        Raises UsageError if there are cases, and none of them is chosen.
        """
        from cdec.auditing.shortlist import START

        given: dict[str, Any] = {"kinds": self.kind or (), "topics": self.topic or ()}
        given["top"] = self.top
        if self.word:
            texts, words = corpus.mentions["text"].str.lower(), [one.lower() for one in self.word]
            given["among"] = {id_ for id_, text in texts.items() if any(w in text for w in words)}
        if not every and self.top is None:
            given["top"] = START
        chosen = cases.select(**given, reviewed=not every and cases.lists_reviewed)
        if self.kind:  # this chooses cases, not pairs
            chosen = replace(chosen, pairs=None)
        pairs = 0 if chosen.pairs is None else len(chosen.pairs)
        if cases.cases and not chosen.cases and not pairs:
            asked = {"of kind": self.kind, "of topic": self.topic, "with the word": self.word}
            named = [f"{words} {listed(names)}" for words, names in asked.items() if names]
            none = "no case" if chosen.pairs is None else "no case or pair"
            message = " ".join([none, *named, f"among {counted(len(cases.cases), 'case')}"])
            hint = "a word is looked for in the mentions in question, also as a part of one"
            if not every and (more := len(cases.select(**given).cases)):
                message, hint = f"{message} is in a reviewed sentence", f"--all has {more}"
            raise UsageError("part-too-small", message, hint=hint)
        return chosen

    def checked(self, corpus: Corpus) -> Corpus:
        """Return the corpus. Raises UnknownNameError, and UsageError for a ``top`` below 1."""
        from cdec.auditing.case import KINDS

        if self.top is not None:
            check_number("argument-invalid", "top", self.top, 1, 10**9)
        topics = dict.fromkeys(document.topic for document in corpus.documents.values())
        for name, names, known in (
            ("kind of case", self.kind or (), KINDS),
            ("topic", self.topic or (), topics),
        ):
            for one in names:
                one_of(name, one, known)
        return corpus


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
        float,
        option("--delta X", "Smallest anchor |a| that the SVM flags."),
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
    out: o.Cases,
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
    from cdec.auditing.detectors import DETECTORS
    from cdec.auditing.page import cases_page, pairs_page
    from cdec.auditing.shortlist import WRITERS

    for name in detector or ():
        one_of("detector", name, DETECTORS)
    part = choice.checked(source.load(o.split_part(split, "all"), key_patch))
    found = audit(part, detectors=detector, delta=delta, responses=response or ()).value
    chosen = choice.of(found, part, every=every)
    pairs = chosen.pairs
    if out.kind in WRITERS and out.output and out.output.suffix[1:].lower() == out.kind:
        of_all = f"{len(chosen.cards):,} cards with {counted(len(chosen.cases), 'case')}"
        if pairs is not None and out.kind == "csv":
            chosen = replace(chosen, pairs=pairs[: choice.top])
            of_all = f"{len(pairs[: choice.top]):,} pairs"
        said = f"{of_all}, of {len(found.cases):,}, written to {out.output}"
        return out.save(WRITERS[out.kind](chosen, part), out.output, said)
    if pairs is not None:
        return out.show(pairs_page(chosen, part, delta, choice.top or 10))
    return out.show(cases_page(chosen, part, len(found.cases)))


@command(app, "review")
def review(
    cases: Annotated[Path, argument("CASES", "Short-list of `cdec audit run -o CASES.jsonl`.")],
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
            "Only cases on which these two decisions files disagree, with both verdicts.",
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
    from cdec.auditing.decisions import disputed as disputed_cases
    from cdec.auditing.decisions import read_votes
    from cdec.auditing.label_studio import interface
    from cdec.auditing.review import to_page
    from cdec.auditing.shortlist import read_shortlist
    from cdec.auditing.tasks import to_tasks

    o.check_file(output, "a review page or tasks", ".html", ".json", ".xml")
    if output.suffix.lower() != ".html":
        refuse(f"--output FILE{output.suffix}", "disputed")
    if output.suffix.lower() == ".xml":
        return out.save([interface()], output, f"labelling interface written to {output}")
    whole = choice.checked(source.load(key_patch=key_patch))
    listed, votes = read_shortlist(cases), None
    if disputed:
        votes, _ = read_votes(disputed, whole, cases)
        listed = listed.select(ids=disputed_cases(votes, listed))
    chosen = choice.of(listed, whole)
    if not chosen.cases:
        message, hint = "no case of the list is selected", "change the selection of cases"
        raise UsageError("part-too-small", message, place=cases, hint=hint)
    said = f"{counted(len(chosen.cases), 'case')} written to {output}; it quotes the corpus"
    if output.suffix.lower() == ".json":
        return out.save(to_tasks(chosen, whole, cases), output, said)
    return out.save([to_page(chosen, whole, cases, votes)], output, said)


@command(app, "apply")
def apply(
    decisions: Annotated[list[Path] | None, Decisions] = None,
    output: Annotated[Path, option("--output -o FILE.json", "File to write the patch to.")] = Path(
        "patch.json"
    ),
    to: Annotated[
        str,
        option(
            "--to patch|ecbplus",
            "ecbplus: the corrected XML, in the folder --output. Only what the patch changes "
            "differs from the original; DECISIONS may then be a patch, by file or name.",
        ),
    ] = "patch",
    skip_conflicts: Annotated[
        bool,
        option("--skip-conflicts", "Leave out corrections that exclude each other."),
    ] = False,
    certain: Annotated[
        bool,
        option(
            "--certain",
            "Link duplicates, without decisions. They are singletons at the same place of "
            "identical sentences of two documents, with the same words, tag and sub-topic.",
        ),
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
    reviewed: ReviewedOnly = "all",
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
    # Two reviewers, corrections in reviewed sentences
    cdec audit apply ann.json bob.json --reviewed only --list cases.jsonl
    # The duplicates that are not linked, which need no reviewer
    cdec audit apply --certain -o patch.json
    # The corrected ECB+ as XML
    cdec audit apply patch.json --to ecbplus -o corrected
    """
    from cdec.auditing.correct import certain_patch, gate, patch_of, products
    from cdec.auditing.decisions import read_votes
    from cdec.corpus.claims import corrected, is_patch, read_patch
    from cdec.corpus.edited import save_edited
    from cdec.corpus.source import open_source
    from cdec.corpus.store import locate

    given = decisions or []
    if one_of("result", to, APPLIED) != "ecbplus":
        o.check_file(output, "a patch", ".json")
    if certain:
        refuse("--certain", "decisions", "skip_conflicts", "shortlist")
    elif not given:
        hint = "name the files that reviewers exported, or add --certain"
        raise UsageError("option-conflict", "no decisions file is given", hint=hint)
    whole = source.load(key_patch=key_patch)
    if certain:
        patch, numbers = certain_patch(whole)
        counts = ", ".join(f"{number} {name}" for name, number in numbers.items()) + "; patch"
    elif len(given) == 1 and is_patch(given[0]):
        patch = read_patch(given[0])
        counts = counted(len(patch.claims), "claim")
    else:
        votes, about = read_votes(given, whole, shortlist)
        patch = patch_of(votes, about, whole, out.notify, skip=skip_conflicts)
        number = len({claim.case for claim in patch.claims})
        counts = f"{counted(len(patch.claims), 'claim')} of {counted(number, 'case')}"
    if reviewed != "all":
        (patch,) = products(patch, whole, reviewed).values()
        counts = f"product {patch.about['product']}: {len(patch.claims)} of {counts}"
    if checked and (found := gate(whole, patch)):
        message = f"copies of reviewed sentences: {'; '.join(found[:SHOWN])}"
        hint = "let claims hold for all copies of a sentence"
        raise ScoringError("check-failed", message, place=patch.name, hint=hint)
    if to == "ecbplus":
        save_edited(open_source(locate(source.corpus).path), corrected(whole, patch), output)
        return out.say(f"corrected corpus written to {output} (patch {patch.digest[:12]})")
    said = f"{counts} written to {output} (digest {patch.digest[:12]})"
    return out.save([patch.to_json()], output, said)


APPLIED = ("patch", "ecbplus")
SHOWN = 10  # findings of the gate in a message


@command(app, "report")
def report(
    decisions: Annotated[list[Path], Decisions],
    scores: Annotated[
        bool,
        option("--scores/--no-scores", "Score the baselines too."),
    ] = True,
    setting: o.Settings = ["all"],
    system: o.Systems = None,
    metric: o.Metrics = None,
    shortlist: ListOf = None,
    reviewed: ReviewedOnly = "all",
    key_patch: o.KeyPatch = None,
    *,
    source: o.PartOf,
    out: o.Report,
) -> None:
    """Show decisions, agreement of reviewers, and scores before and after.

    Agreement is AC1 and Cohen's κ; products A and B are scored separately, too.

    \b
    # Decisions, and the scores before and after
    cdec audit report decisions.json --setting pure --metric conll
    # Agreement between two reviewers
    cdec audit report ann.json bob.json --no-scores
    """
    from cdec.auditing.correct import left_out, patch_of, products
    from cdec.auditing.decisions import read_votes, settled
    from cdec.auditing.page import report_page
    from cdec.baselines import DEFAULT
    from cdec.corpus.claims import corrected
    from cdec.corpus.splits import part_of
    from cdec.errors import warn_of
    from cdec.evaluation.experiment import against, prepare
    from cdec.evaluation.response import read_responses

    whole = o.Whole(source.corpus, source.kind).load(key_patch=key_patch)
    votes, about = read_votes(decisions, whole, shortlist)
    if not scores:
        require("--scores", "reviewed")
        out.notify(left_out(*settled(votes)))
        return out.show(report_page(votes, about))
    patch = patch_of(votes, about, whole, out.notify, skip=True)
    made = o.Parameters(config=None, model=None)
    part, systems = source.responses(system or DEFAULT, made, key_patch)
    experiment = prepare(part, read_responses(systems), setting=setting, metrics=metric)
    warn_of(experiment.notices)
    before = replace(experiment.results(), notices=())
    before_after = {
        product: (before, replace(against(key, experiment).results(), notices=()))
        for product, one in (products(patch, whole, reviewed) or {"": patch}).items()
        for key in [part_of(corrected(whole, one), source.split)]
    }
    return out.show(report_page(votes, about, before_after))
