"""Text as LaTeX takes it, in tables and in pages alike."""

from __future__ import annotations

# A fresh pdfLaTeX stops at most of these signs, or sets another in their place.
_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"$\sim$",
    "^": r"\textasciicircum{}",
    "³": r"\textsuperscript{3}",
    "δ": r"$\delta$",
    "≈": r"$\approx$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "×": r"$\times$",
    "→": r"$\to$",
    "−": r"$-$",
    "–": "--",
    "…": r"\ldots{}",
    "’": "'",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def escape(text: str) -> str:
    """Return the text with every sign that LaTeX would read, or not know, replaced."""
    return "".join(_SIGNS.get(sign, sign) for sign in text)
