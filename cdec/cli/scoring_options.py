"""The options of scoring, once each: response files, shared tasks, data sets, resampling."""

from __future__ import annotations

from cdec.cli import names, values
from cdec.cli import options as o
from cdec.cli.option import Option, in_panel, rarely

_FILES, _TASK, _SETS = "Response files", "Shared tasks", "Several data sets"
_DRAWS = "Uncertainty"

# ---- response files ----

NOISE = Option(
    "--noise",
    "singletons|absent",
    "Mentions of key or response whose label means no chain (-1, a blank, nan, None, null): each "
    "is a singleton, or that file lacks them. Without this option such a label of several mentions "
    "is an error.",
    panel=_FILES,
    choices=names.NOISE,
)
FILES = in_panel(
    _FILES,
    Option(
        "--repeated",
        "first|error|drop",
        "If a response mention occurs more than once: keep the first occurrence (as the reference "
        "scorer does), reject the file, or drop all occurrences.",
        default="first",
        choices=names.REPEATED,
    ),
    Option(
        "--allow-empty",
        None,
        "Score a response even if it contains no mention of the key.",
        bool,
        False,
    ),
    Option(
        "--match",
        "exact|head|partial|overlap:X",
        "When a response mention matches a key mention: same tokens; same head; inside the key "
        "mention, with its head; or at least X of all their tokens in common. Equal mentions "
        "first, then one to one with the greatest overlap. Brackets, and start and end, match a "
        "corpus mention with a gap by its first and last token; lists of tokens match exactly.",
        default="exact",
        check=values.alignment,
    ),
    Option(
        "--missing",
        "count|singletons|drop",
        "Key mentions that are missing from the response: count them as not found, make each a "
        "singleton of the response (for a response without its singletons), or remove them from "
        "the key. Default: count; without this option `cdec compare` refuses responses with "
        "mentions in different documents.",
        choices=names.MISSING,
    ),
    NOISE,
)
FILES = rarely(*FILES)

# ---- shared tasks ----

SINGLETONS = Option(
    "--singletons",
    "keep|drop",
    "drop: each side drops its own singletons before mentions are aligned.",
    default="keep",
)
PRESET = Option(
    "--preset",
    "crac22|crac24|crac25|crac26|conll12",
    "The choices of a shared task: --match, --singletons, --zeros and the metrics. Options in the "
    "call override it.",
    panel=_TASK,
    brief="The choices of a shared task.",
    choices=names.PRESETS,
)
TASK = in_panel(
    _TASK,
    SINGLETONS,
    Option(
        "--zeros",
        "linear|dependent",
        "How zeros (mentions headed by an empty node) of two CoNLL-U files are aligned: by their "
        "place among the words, or first by their parents and relations.",
        default="linear",
    ),
    Option(
        "--heads",
        "file|tree",
        "Heads of the mentions of CoNLL-U files: as the file gives them, or from the dependency "
        "tree.",
        default="file",
    ),
    Option(
        "--upos",
        "TAG",
        "Score only entities with a mention whose head has this universal tag, as VERB (CoNLL-U).",
        default="",
    ),
)
TASK = rarely(*TASK)
DATASETS = in_panel(
    _SETS,
    Option(
        "--pair",
        "DATASET=KEY:[SYSTEM=]RESPONSE",
        "A data set with its key and the response of a system (repeatable).",
        many=True,
        reads=values.pair_files,
    ),
    Option(
        "--macro",
        None,
        "Rank systems by the mean over the data sets; one without a response counts 0.",
        bool,
        False,
    ),
)

# ---- strata ----

STRATA = Option(
    "--by",
    "STRATUM",
    f"Also divide links, B³ and LEA by {', '.join(names.STRATUM_IDS)}: whether the head lemmas are "
    "coreferent, compared or not compared in train; equal; in how many chains; and so on "
    "(docs/strata.md). Lemmas are from --nlp.",
    brief=f"Also by {names.listed(names.STRATUM_IDS)}.",
    choices=names.STRATA,
)
BY_ANY = o.BY.but(
    metavar="UNIT|STRATUM",
    sign="UNIT",
    help=f"{o.BY.help} Or {STRATA.help[5].lower()}{STRATA.help[6:]}",
    brief=f"{o.BY.brief.removesuffix('.')}; or a stratum, such as seen-lemma.",
    choices=names.UNITS_AND_STRATA,
)

# ---- resampling ----

CI = Option(
    "--ci",
    None,
    "Add a confidence interval to every value.",
    bool,
    False,
    panel=_DRAWS,
    brief="Add confidence intervals.",
)
DRAWS = in_panel(
    _DRAWS,
    Option("--resamples", "N", "Number of resamples.", int, 1000),
    Option("--seed", "N", "Random seed.", int, 0),
)
INTERVALS = DRAWS
SCOPE = Option(
    "--scope",
    "document|corpus",
    "Scope of chain labels. document: a chain ends with its document, and counts are summed over "
    "documents, as in the CoNLL reference scorer. corpus: a chain can cross documents, and the "
    "whole file is one meta-document. Needed if a label occurs in several documents.",
)
TOP = Option(
    "--top",
    "N",
    "Number of worst chains to show, of key and of response.",
    int,
    5,
    least=0,
)
