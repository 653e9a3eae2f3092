import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, ConfigDict, Field

from cdec.errors import FormatError
from cdec.io import FileKind, FileModel, Schema, Texts, complaint, one_of
from tests.refusals import refused


def _even(value: int) -> int:
    if value % 2:
        raise complaint(f"is {value}, not even")
    return value


class _Part(FileModel):
    name: Annotated[str, one_of(("head", "tail"))]
    size: Annotated[float, Field(ge=0, le=1)] = 0.0


class _Thing(FileModel):
    title: str
    parts: Annotated[list[_Part], Field(min_length=1)]
    words: Texts = ()
    count: Annotated[int, AfterValidator(_even)] = 0
    sure: bool = False
    places: dict[str, str] = Field(default_factory=dict)


class _Any(FileModel):
    model_config = ConfigDict(extra="allow")
    title: str


KIND = FileKind("a thing", FormatError, "file-invalid", "make one")
SCHEMA = Schema(KIND, _Thing, "cdec-thing/2")
OLD = Schema(KIND, _Any, "cdec-thing/2", since=1)
SOUND: dict[str, Any] = {"format": "cdec-thing/2", "title": "t", "parts": [{"name": "head"}]}


def test_a_sound_file(tmp_path: Path) -> None:
    path = tmp_path / "thing"
    path.write_text(json.dumps({**SOUND, "words": ["a", "b"], "places": {"x": "y"}}))
    thing = SCHEMA.read_json(path)
    assert (thing.title, thing.words, thing.places) == ("t", ("a", "b"), {"x": "y"})
    path.write_text('format = "cdec-thing/2"\ntitle = "t"\n[[parts]]\nname = "tail"\nsize = 1\n')
    assert SCHEMA.read_toml(path).parts == [_Part(name="tail", size=1.0)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": 3}, "'title' is 3, not a string"),
        ({"title": True}, "'title' is true, not a string"),
        ({"title": 10**400}, "'title' is a huge number, not a string"),
        ({"title": ["x"] * 1000}, "'title' is a list, not a string"),
        ({"parts": []}, "'parts' is empty"),
        ({"parts": {}}, "'parts' is an object, not a list"),
        ({"parts": [{"name": "head"}, {}]}, "'parts', item 2 has no 'name'"),
        ({"parts": [[]]}, "'parts', item 1 is a list, not an object"),
        ({"parts": [{"name": "x"}]}, "'parts', item 1, 'name' is 'x', not head, tail"),
        ({"parts": [{"name": "head", "size": 2}]}, "item 1, 'size' is 2, but must be at most 1"),
        ({"parts": [{"name": "head", "size": -1}]}, "item 1, 'size' is -1, but must be at least 0"),
        ({"parts": [{"name": "head", "size": None}]}, "item 1, 'size' is null, not a number"),
        ({"parts": [{"name": "head", "size": True}]}, "item 1, 'size' is true, not a number"),
        ({"parts": [{"name": "head", "size": 10**400}]}, "is a huge number, not a number"),
        ({"parts": [{"name": "head", "size": float("inf")}]}, "is inf, not a finite number"),
        ({"parts": [{"name": "head", "siez": 1}]}, "item 1 has an unknown field 'siez', did you"),
        ({"words": "ab"}, "'words' is 'ab', not a list"),
        ({"words": {"a": 1}}, "'words' is an object, not a list"),
        ({"words": ["a", "  "]}, "'words', item 2 is blank"),
        ({"count": 3}, "'count' is 3, not even"),
        ({"count": 2.0}, "'count' is 2.0, not an integer"),
        ({"sure": 1}, "'sure' is 1, not true or false"),
        ({"places": {"x": 1}}, "'places', 'x' is 1, not a string"),
        ({"xyz": 1}, "it has an unknown field 'xyz', known: title, parts, words, count, sure"),
    ],
)
def test_the_error_names_field_value_and_place(change: dict[str, Any], message: str) -> None:
    with refused("file-invalid", message, place="a.json:7") as caught:
        SCHEMA.check(SOUND | change, "a.json:7")
    assert caught.value.hint == "make one"


def test_a_misspelt_field_is_named_instead_of_a_missing_one() -> None:
    content = {"format": "cdec-thing/2", "titel": "t", "parts": SOUND["parts"]}
    with refused("file-invalid", "'titel'", "'title'"):
        SCHEMA.check(content, "a")


@pytest.mark.parametrize("content", [[], None, 3, "cdec-thing/2"])
def test_a_file_that_is_not_an_object(content: object) -> None:
    with refused("file-invalid", "not an object"):
        SCHEMA.check(content, "a")


@pytest.mark.parametrize("version", ["cdec-thing/3", "cdec-thing/10", "cdec-thing/" + "9" * 40])
def test_a_newer_version_is_an_error(version: str) -> None:
    for schema in (SCHEMA, OLD):
        with refused("file-too-new", version, place="a"):
            schema.check(SOUND | {"format": version}, "a")


@pytest.mark.parametrize(
    "version",
    [None, 2, True, "", "cdec-thing", "cdec-thing/", "cdec-thing/x", "cdec-thing/02",
     "cdec-thing/0", "cdec-thing/-3", "cdec-thing/3 ", "cdec-other/2", "xcdec-thing/3",
     "cdec-thing/" + "9" * 5000],
)  # fmt: skip
def test_another_format_is_an_error(version: object) -> None:
    for schema in (SCHEMA, OLD):
        with refused("file-invalid", "cdec-thing/2"):
            schema.check(SOUND | {"format": version}, "a")


def test_a_file_without_a_format_has_the_version_before_it() -> None:
    bare = {name: value for name, value in SOUND.items() if name != "format"}
    with refused("file-invalid", "cdec-thing/2"):
        SCHEMA.check(bare, "a")
    current = Schema(KIND, _Any, "cdec-thing/1", since=1)
    assert current.check(bare, "a").title == "t"


def test_fields_of_any_name_are_kept_if_the_model_allows_them() -> None:
    content = {"title": "t", "model_config": 1, "copy": [2], "model_extra": None, "format": "x"}
    read = Schema(KIND, _Any, "x").check(content, "a")
    assert read.model_extra == {"model_config": 1, "copy": [2], "model_extra": None}
