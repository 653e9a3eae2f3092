"""What the page of a study says about one board only: data of its ``leaderboard.toml``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cdec.io.schema import FileModel, Filled

_Texts = Annotated[tuple[Filled, ...], Field(strict=False)]
_LIMITS = (
    "Tests: p is from a t test over topics and runs. In the tables it is not corrected for the "
    "number of pairs, and it does not resample words (as cdec compare does for single runs). "
    "Resamples over topics make rankings noisier than they are, so that intervals of τ can lie "
    "below τ itself.",
    "Systems of one family share errors: pairs are not independent, and no test of the shares is "
    "given. Shares over all pairs describe this collection, not a population of systems.",
)


class Without(FileModel):
    """Systems, by the first letters of their names, to leave out of a second count of pairs."""

    title: Filled
    prefixes: Annotated[tuple[Filled, ...], Field(strict=False, min_length=1)]


class Transfer(FileModel):
    """Training data to compare: systems trained on ``elsewhere`` only, and on ``here``.

    ``trained_on`` of a system contains these texts. ``same``: pairs of systems that differ in
    nothing else, to be shown in any case.
    """

    here: Filled
    elsewhere: Filled
    same: Annotated[
        tuple[Annotated[tuple[Filled, Filled], Field(strict=False)], ...], Field(strict=False)
    ] = ()


class Facts(FileModel):
    """Title, introduction, comparisons and limits; by default nothing about particular systems."""

    title: Filled = "What the setting changes in the order of systems"
    intro: Filled = "Response files, scored under every setting by cdec leaderboard study."
    without: Without | None = None
    transfer: Transfer | None = None
    limits: _Texts = _LIMITS
