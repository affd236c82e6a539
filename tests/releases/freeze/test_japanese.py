"""The pages of exports and releases in Japanese; the files that they lead to are in English, whoever asks for them."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from annotation_platform.releases.freeze.services import make_link, token_of
from annotation_platform.releases.models import Export, Finding
from annotation_platform.studies.models import Role, Study
from tests.factories import OPERATOR, MemberFactory, study_with_judgments
from tests.markup import markup
from tests.releases.freeze.frozen import ASKED, admin_of, asked, frozen
from tests.translations.pseudo import Data, left_in, texts_in_the_database

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = study_with_judgments(annotators=3, name="Harbour")
    MemberFactory(study=study, role=Role.ADMIN, pseudonym="Finch")
    return study


@pytest.fixture
def reader(study: Study) -> Client:
    client = Client(headers={"Accept-Language": "ja"})
    client.force_login(admin_of(study).user)
    return client


def told(client: Client, path: str, *, files: tuple[str, ...] = ()) -> str:
    """The words of a page, which are Japanese but for names, and for what the files of a release are called."""
    response = client.get(path)
    page = response.content.decode()
    assert '<html lang="ja">' in page
    assert left_in(page, Data([*texts_in_the_database(), *files, "English"])) == []
    return markup(response)


def test_exports_are_offered_and_told_in_japanese(study: Study, reader: Client) -> None:
    Export.objects.create(study=study, requested_by=admin_of(study), format="spreadsheet", all_revisions=True)
    page = told(reader, reverse("exports", args=[study.slug]))
    assert "終了したバッチのすべての判定とスコア、" in page
    assert "表計算ソフト用のCSV（すべての改訂）" in page
    assert "整数のリスト" in page


def test_a_release_is_asked_for_settled_and_shared_in_japanese(study: Study, reader: Client) -> None:
    home, page = reverse("releases", args=[study.slug]), reverse("release", args=[study.slug, 1])
    licences = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC0-1.0", "ODC-By-1.0", "Apache-2.0")
    assert "まだリリースはありません。" in told(reader, home, files=licences)
    refused = reader.post(reverse("request_release", args=[study.slug]), ASKED | {"embargo_until": "2020-01-01"})
    assert "この日は過ぎています。" in refused.content.decode()

    release = asked(study)
    assert release.findings.get().kind == Finding.Kind.FEW
    waits = told(reader, page)
    assert "管理者を待っています" in waits
    assert "アノテーターが少なく、知人にはだれか分かります" in waits
    reader.post(reverse("give_up_release", args=[study.slug, 1]))

    release = frozen(study)
    names = tuple(str(path.relative_to(release.folder)) for path in release.folder.rglob("*"))
    link = make_link(release=release, created_by=admin_of(study), days=3, actor=OPERATOR)
    whole = told(reader, reverse("release", args=[study.slug, release.number]), files=names)
    assert "ダウンロード0回" in whole
    shared = Client(headers={"Accept-Language": "ja"})
    assert "に凍結。" in told(shared, reverse("shared_release", args=[token_of(link)]))
    training = reverse("release_training", args=[study.slug, release.number])
    assert "回答の良し悪しを決める観点" in told(reader, training)
    assert "チェックサム" in markup(reader.get(home))


def test_two_releases_are_being_compared_in_japanese(study: Study, reader: Client) -> None:
    first, last = frozen(study), [frozen(study) for _ in range(2)][-1]
    address = reverse("release_changes", args=[study.slug, last.number])
    said = told(reader, f"{address}?with={first.number}")
    assert "2つのリリースを比較しています" in said
    assert f"リリース{first.number}と{last.number}" in said
    nothing = reader.get(reverse("release_changes", args=[study.slug, first.number]))
    assert f"リリース{first.number}と比べられるほかのリリースがありません。" in nothing.content.decode()


def test_the_files_of_a_release_are_in_english_whoever_asks_for_it(study: Study, settings: Any) -> None:
    with override("ja"):
        folder: Path = frozen(study).folder
    texts = {path.name: path.read_text("utf-8") for path in folder.rglob("*") if path.suffix in {".md", ".cff"}}
    assert {"README.md", "datasheet.md", "CHANGES.md", "CITATION.cff"} <= texts.keys()
    assert "So few annotators that each can be told by those who know them" in texts["datasheet.md"]
    for name, text in texts.items():
        assert not any("\u3040" <= letter <= "\u9fff" for letter in text), name


def test_traits_are_kept_in_english_and_told_in_the_pages_language() -> None:
    finding = Finding(kind=Finding.Kind.GROUP, text="languages and rounds passed and active days")
    assert finding.traits_in_words == "languages and rounds passed and active days"
    with override("ja"):
        assert finding.traits_in_words == "言語と合格したラウンドと活動した日数"
