"""``--noise``: mentions of files whose label means no chain."""

from pathlib import Path

from tests.cli.conftest import Run

KEY = "doc,start,end,chain\nd,0,0,x\nd,1,1,x\nd,2,2,y\n"


def test_a_file_with_noise_is_refused_or_scored(cdec: Run, tmp_path: Path) -> None:
    key, mine = tmp_path / "key.csv", tmp_path / "mine.csv"
    key.write_text(KEY)
    for label in ("-1", "", "-1.0", "None"):
        mine.write_text(KEY.replace("x", label))
        call = ("score", key, mine, "--metric", "b3", "--format", "json")
        assert cdec(*call).error == ("label-ambiguous" if label else "field-invalid")
        for noise in ("singletons", "absent"):
            assert f'"noise": "{noise}"' in cdec(*call, "--noise", noise).out
    assert cdec(*call, "--noise", "drop").error == "name-unknown"
