"""What a study resamples and its page says: ``configs/study.toml``, and ``leaderboard.toml``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cdec.configs import read_toml
from cdec.io.schema import FileModel, Filled

_Texts = Annotated[tuple[Filled, ...], Field(strict=False)]
STUDY = read_toml("study.toml")
_PAGE = STUDY["page"]


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

    title: Filled = _PAGE["title"]
    intro: Filled = _PAGE["intro"]
    without: Without | None = None
    transfer: Transfer | None = None
    limits: _Texts = tuple(_PAGE["limits"])
