"""The options that agreement adds to ``cdec score``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cdec.cli.command import argument, option, refuse, require

if TYPE_CHECKING:
    from pathlib import Path

    from cdec.matching.policy import FilePolicy
    from cdec.render import Page
    from cdec.statistics.draws import Plan


@dataclass
class Agreement:
    """Annotators of whom none is the key."""

    agreement: bool = option(
        "--agreement",
        "Neither file is right: how far annotators agree, and the documents where they differ "
        "most. F1, and Krippendorff's α on chains; more than two can be named.",
        default=False,
    )
    annotations: list[str] | None = argument(
        "[ANNOTATION…]", "Further annotations, with --agreement.", None
    )
    scope: ClassVar[None] = None

    def choices(
        self, policy: FilePolicy, metrics: list[str] | None
    ) -> tuple[FilePolicy, list[str] | None]:
        """Return policy and metrics as they are. Raises UsageError for options of a response."""
        if not self.agreement:
            require("--agreement", "annotations")
        refuse(
            "--agreement",
            "by",
            "scorer",
            "setting",
            "metric",
            "missing",
            "unknown",
            "preset",
            "pair",
            "topics",
        )
        return policy, metrics

    def page(
        self,
        scope: str | None,
        metrics: list[str] | None,
        policy: FilePolicy,
        *,
        key: Path | None,
        response: str | None,
        plan: Plan | None,
    ) -> Page:
        """Return the page of the annotations that the call names."""
        from cdec.agreements.page import agreement

        files = [key, response, *(self.annotations or [])]
        named = [file for file in files if file is not None]
        return agreement(*named, scope=scope, policy=policy, plan=plan).page
