"""All readers that are fuzzed, by name."""

from tests.fuzz import (
    audits,
    configurations,
    corpora,
    entries,
    formats,
    interchange,
    other_corpora,
    stored,
    words,
)
from tests.fuzz.reader import Reader

_ROOMS = (
    entries,
    formats,
    corpora,
    other_corpora,
    interchange,
    configurations,
    audits,
    stored,
    words,
)
READERS: dict[str, Reader] = {reader.name: reader for room in _ROOMS for reader in room.readers()}
