"""The types of rows and fields, which most rooms use."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
"""A row of a table, or an object of JSON."""
Fields: TypeAlias = Mapping[str, Any]
"""Values by name, such as those of a signature."""
Columns: TypeAlias = Mapping[str, str]
"""Field → name of the column, or of the field of a record, that holds it."""
Tokens: TypeAlias = tuple[int, ...]
"""The indices of the tokens of a mention."""
Words: TypeAlias = tuple[str, ...]
"""The words of a sentence or of a document, in order."""
