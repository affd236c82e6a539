"""The embedded platform's secret key: made once, whole, and the same for all processes that begin together."""

import secrets
from pathlib import Path

import pytest

from annotation_platform import settings


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    return tmp_path / "secret_key"


def test_it_has_its_name_only_when_it_is_whole(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    was_there = []

    def make(length: int) -> str:
        was_there.append(file.exists())
        return "k" * length

    monkeypatch.setattr(secrets, "token_urlsafe", make)
    assert settings.embedded_secret_key() == settings.embedded_secret_key() == "k" * 50
    assert was_there == [False]
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in file.parent.iterdir()] == ["secret_key"]


def test_who_comes_second_takes_the_key_of_the_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make_while_another_does(length: int) -> str:
        file.write_text("the first one's")
        return "the second one's"

    monkeypatch.setattr(secrets, "token_urlsafe", make_while_another_does)
    assert settings.embedded_secret_key() == "the first one's"
    assert [each.name for each in file.parent.iterdir()] == ["secret_key"]
