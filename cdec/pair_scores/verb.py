"""``cdec.score_pairs`` in Python."""

from __future__ import annotations

from cdec.corpus.model import Corpus
from cdec.errors.notices import warn_of
from cdec.evaluation.experiment import check_corpus
from cdec.evaluation.mention_pairs import Directions, MentionPairs
from cdec.pair_scores.page import pairs_page
from cdec.pair_scores.source import Pairs, pairs_of
from cdec.pair_scores.tuning import chosen, linking
from cdec.render.analysis import Analysis
from cdec.settings.catalog import Settings, as_settings
from cdec.statistics.draws import Plan


def score_pairs(
    corpus: Corpus,
    pairs: Pairs,
    *,
    setting: Settings = "simple",
    threshold: float | None = None,
    cluster: str | None = None,
    tune: tuple[Corpus, Pairs] | None = None,
    directions: Directions = "mean",
    plan: Plan | None = None,
) -> Analysis[MentionPairs]:
    """Show what mention pairs cover, and how well their scores link, as ``cdec pairs`` does.

    * ``pairs``: a file, a table with ``a``, ``b`` and, optionally, ``score``, or a dict
      (mention, mention) → score.
    * ``threshold``: default 0.5, or 0 for log-odds; ``cluster``: closure (the default), average,
      complete or correlation; ``tune``: another part and its pairs, on which both are chosen.
    * ``directions``: how the scores of both directions are combined; ``plan`` adds intervals.

    Warns with CdecWarning of pairs without a score. Raises FormatError, ScoringError for a mention
    outside the corpus, and UsageError for tuning on test.

    >>> from cdec import load_corpus
    >>> corpus = load_corpus("sample", "test")
    >>> a, b, c = corpus.selected.index[:3]
    >>> table = score_pairs(corpus, {(a, b): 0.9, (a, c): 0.2}).to_frame()
    >>> table.loc[table["measure"] == "precision", "value"].tolist()
    [0.0]
    """
    check_corpus(corpus)
    read, settings = pairs_of(pairs, corpus, directions), as_settings(setting, corpus)
    warn_of(read.notices)
    at = linking(read, threshold, cluster)
    if tune is not None:
        dev = pairs_of(tune[1], tune[0], directions)
        at = chosen(dev, read, tune[0].part, settings[0], cluster)
    return Analysis(read, pairs_page(read, settings, at, plan))
