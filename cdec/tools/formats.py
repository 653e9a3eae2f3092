"""How the files of tools are known, and who reads them."""

from __future__ import annotations

import re
from collections.abc import Callable

from cdec.catalogue import imported
from cdec.errors import CdecError
from cdec.files.input import TextFile
from cdec.formats.annotation import Annotation
from cdec.formats.registry import Format

_HEAD = 2**18  # signs of a file in which the names of its tool are
PATTERNS = {
    "webanno": r"\s*#FORMAT=WebAnno TSV",
    "cas": r"(?s)(?:<\?xml[^>]*>\s*)?<xmi:XMI\b",
    "cas-json": r'(?s)\s*\{\s*"%(?:TYPES|FEATURE_STRUCTURES|VIEWS)"',
    "corenlp": r'(?s)\s*[\[{](?=.*"startIndex")(?=.*"endIndex").*"sentNum"',
    "stanza-json": r'(?s)\s*\[\s*\[\s*(?:\[\s*)?\{.*"coref_chains"',
    "stanza": r"(?s)(?!.*\bEntity=)(?:#[^\n]*\n)*1(?:-[0-9]+)?\t.*[\t|]coref_chains=",
    "label-studio": r'(?s)\s*[\[{](?=.*"from_name").*"to_name"',
    "booknlp": r"\s*COREF\tstart_token\tend_token\t",
    "maven-ere": r'(?s)\s*[\[{](?=.*"trigger_word")(?=.*"sent_id").*"offset"',
}
"""Name of a format → how its files begin, without white space before it."""


def _format(name: str, description: str, reader: str) -> Format:
    """Return a format that is only read; ``reader`` is imported when a file is read."""

    def read(source: TextFile) -> Annotation:
        function: Callable[[TextFile], Annotation] = imported(f"cdec.tools.{reader}")
        try:
            return function(source)
        except CdecError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as problem:
            # A value that the tool never writes, at a place that only its reader knows.
            raise source.error(
                "field-invalid",
                0,
                f"this is not {description}: {type(problem).__name__} {problem!s:.60}",
                "give the file as the tool has written it",
            ) from None

    def sniff(source: TextFile) -> bool:
        return re.match(PATTERNS[name], source.text[:_HEAD].lstrip()) is not None

    return Format(name, description, read, None, sniff)


STANZA = _format(
    "stanza",
    "stanza: CoNLL-U with coref_chains= in MISC",
    "toolkits:read_stanza",
)
STANZA_JSON = _format(
    "stanza-json",
    "stanza: JSON with coref_chains of the words",
    "toolkits:read_stanza_json",
)
CORENLP = _format("corenlp", "CoreNLP: JSON with corefs", "toolkits:read_corenlp")
BOOKNLP = _format(
    "booknlp",
    "BookNLP: .entities",
    "toolkits:read_booknlp",
)
MAVEN = _format("maven-ere", "MAVEN-ERE: events with mentions", "toolkits:read_maven")
LABEL_STUDIO = _format(
    "label-studio",
    "Label Studio: JSON with spans and relations",
    "label_studio:read_label_studio",
)
WEBANNO = _format(
    "webanno",
    "WebAnno TSV 3 of INCEpTION and WebAnno, with a chain layer",
    "inception:read_webanno",
)
CAS = _format("cas", "UIMA CAS as XMI, with a chain layer", "inception:read_xmi")
CAS_JSON = _format(
    "cas-json",
    "UIMA CAS as JSON, with a chain layer",
    "inception:read_cas_json",
)
