"""Read the one sheet of a spreadsheet (Office Open XML, ``.xlsx``) as CSV."""

from __future__ import annotations

import io
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

import pandas as pd

from cdec.files.input import Budget, FileKind


def as_csv(data: bytes, place: object, kind: FileKind) -> bytes:
    """Return the only sheet with cells as CSV; row n of the sheet is line n.

    Raises the error of ``kind`` for damaged content, content beyond the size limit and several
    sheets with cells, and without openpyxl, which is an extra.
    """
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        kind.check_unpacked(place, size, len(data), Budget())
        sheets = pd.read_excel(
            io.BytesIO(data),
            sheet_name=None,
            header=None,
            dtype=str,
            keep_default_na=False,
            engine="openpyxl",
        )
    except ImportError:
        raise kind.refuse(
            place,
            "a spreadsheet requires openpyxl, which is not installed",
            "install cdec[xlsx], or save the sheet as CSV",
        ) from None
    except (BadZipFile, ParseError, KeyError, ValueError) as error:
        raise kind.refuse(
            place, f"a damaged spreadsheet: {error}", "save the sheet as CSV"
        ) from None
    filled = {name: sheet for name, sheet in sheets.items() if not sheet.empty}
    if len(filled) != 1:
        names = ", ".join(f"'{name}'" for name in filled) or "none"
        raise kind.refuse(
            place, f"several sheets or none: {names:.80}", "save one sheet as CSV"
        )
    [sheet] = filled.values()
    return sheet.to_csv(index=False, header=False).encode()
