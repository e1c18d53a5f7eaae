"""Tables of ratings from anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from geode_tui.errors import CalibrationError
from geode_tui.files.ratings import read_ratings


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_three_forms_say_the_same(tmp_path: Path) -> None:
    long = written(
        tmp_path,
        "long.csv",
        "\ufeffRater,Item,Score,Seed\nann,i1,3,s1\nbob,i1,NA,s1\nann,i2,4,s2\n"
        "bob,i2,4,s2\n",
    )
    wide = written(tmp_path, "wide.csv", "item,seed,ann,bob\ni1,s1,3,\ni2,s2,4,4\n")
    text = (
        '{"ratings": {"ann": {"i1": 3, "i2": 4}, "bob": {"i1": null, "i2": 4}},'
        ' "groups": {"i1": "s1", "i2": "s2"}}'
    )
    json_file = written(tmp_path, "any.json", text)
    assert read_ratings(long) == read_ratings(wide) == read_ratings(json_file)
    assert read_ratings(wide).ratings["bob"] == {"i1": None, "i2": 4.0}


def test_labels_tell_none_given_from_not_labelled(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "labels.csv",
        "transcript,rater,score,sub_modes\nt1,ann,4,a;b\nt2,ann,1,\nt3,ann,,\n",
    )
    assert read_ratings(path).labels == {"ann": {"t1": ("a", "b"), "t2": ()}}


def test_dimensions_are_never_pooled(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "two.csv",
        "item,rater,score,dimension\ni1,ann,4,x\ni1,ann,9,y\n",
    )
    with pytest.raises(CalibrationError, match="never pooled"):
        read_ratings(path)
    assert read_ratings(path, dimension="y").ratings == {"ann": {"i1": 9.0}}
    with pytest.raises(CalibrationError, match="only x, y"):
        read_ratings(path, dimension="z")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "[1]", "no object"),
        ("a.json", "{", "no JSON"),
        ("a.json", "[" * 100_000, "no JSON"),
        ("a.json", '{"ratings": {"ann": {"i": true}}}', "rater ann, item i"),
        ("a.json", '{"ratings": {"ann": {"i": NaN}}}', "no score"),
        ("a.json", '{"ratings": {"ann": []}}', "no object"),
        ("a.json", '{"ratings": {}, "groups": {"i": []}}', "groups"),
        ("a.json", '{"labels": {"ann": {"i": "x"}}}', "list of names"),
        ("a.csv", "", "no header"),
        ("a.csv", "item,ann\ni1,many\n", "row 2, column ann"),
        ("a.csv", "item,ann\ni1,1\ni1,2\n", "row 3"),
        ("a.csv", "item,ann\ni1,1,2\n", "3 cells"),
        ("a.csv", "item,ann,ann\ni1,1,2\n", "name of its own"),
        ("a.csv", "item,rater,score\ni,ann,1\ni,ann,1\n", "second time"),
        ("a.csv", "item,rater,score,seed\ni,ann,1,s\ni,bob,1,t\n", "'s' and 't'"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(CalibrationError, match=message):
        read_ratings(written(tmp_path, name, text))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match=r"nowhere\.csv"):
        read_ratings(tmp_path / "nowhere.csv")
