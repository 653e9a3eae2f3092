"""All readers that are fuzzed, by name."""

from tests.fuzz import audits, configurations, corpora, formats, interchange, stored, words
from tests.fuzz.reader import Reader

_ROOMS = (formats, corpora, interchange, configurations, audits, stored, words)
READERS: dict[str, Reader] = {reader.name: reader for room in _ROOMS for reader in room.readers()}
