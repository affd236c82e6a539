"""Items, and the figures of a paper, in Japanese; what programs are sent and what a bundle holds stays English."""

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from annotation_platform.analysis.explorer.indexing import index_items
from annotation_platform.analysis.models import ItemFlag
from annotation_platform.analysis.paper.bundles import BUNDLES, request_bundle
from annotation_platform.analysis.snapshots.stored import headline_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.analysis.tables.registry import TABLES
from annotation_platform.annotations.models import Annotation
from annotation_platform.corpus.models import Answer, Article, Question, Sentence
from annotation_platform.jobs.contract import run_job
from annotation_platform.studies.models import Item, Member, Role, Study
from annotation_platform.studies.services import reopen_batch
from tests.analysis.study_rows import scored_study
from tests.annotations.test_languages import JAPANESE, english_words
from tests.api.clients import program, send
from tests.factories import OPERATOR, MemberFactory

pytestmark = [pytest.mark.pages, pytest.mark.xdist_group("items-in-japanese")]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = scored_study(name="Owls")
    take_snapshot(study=study, resamples=10)
    index_items(study=study)
    return study


@pytest.fixture
def study(db: None, stored: Study) -> Study:
    return stored


@pytest.fixture
def member(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Res")


@pytest.fixture
def researcher(member: Member) -> Client:
    client = Client(headers=JAPANESE)
    assert member.user is not None
    client.force_login(member.user)
    return client


def page(client: Client, name: str, study: Study, query: dict[str, str] | None = None, **where: Any) -> str:
    return client.get(reverse(name, kwargs={"slug": study.slug, **where}), query).content.decode()


def own_words(study: Study) -> set[str]:
    """What the study itself says in English, and who is signed in."""
    scheme = study.scheme()
    said = [study.name, "example org", *study.corpus.systems.values_list("name", flat=True)]
    for aspect in scheme.aspects:
        said += [aspect.title, *(choice.label for choice in getattr(getattr(aspect, "scale", None), "choices", ()))]
    for rows, field in ((Article, "title"), (Question, "text"), (Answer, "text"), (Sentence, "text")):
        said += rows.objects.values_list(field, flat=True)  # type: ignore[attr-defined]
    said += [*map(str, Annotation.objects.values_list("values", flat=True))]
    said += study.members.values_list("user__email", flat=True)
    return set(re.findall(r"[A-Za-z]{3,}", " ".join(said)))


def test_no_english_is_left_on_the_pages_of_items(researcher: Client, study: Study) -> None:
    item = Item.objects.filter(study=study)[0]
    ItemFlag.objects.create(study=study, item=item, flag=ItemFlag.Flag.VACUOUS)
    listed = page(researcher, "items", study, {"sort": "raw"})
    assert "換算前の不一致が大きい順" in listed
    assert "新しい情報のない説明" in listed
    assert "平均点 <strong>" in listed
    shown = page(researcher, "item", study, pk=item.pk)
    assert "色が濃い文ほど、多くのアノテーターが引用しています。" in shown
    assert re.search(r"、換算後 [0-9.]+：ラベルと説明から読み取り", shown)
    nothing = page(researcher, "items", study, {"q": "submarine", "seen": "same"})
    assert "条件をすべて満たす項目はありません。" in nothing
    for one in (listed, shown, nothing):
        assert english_words(one) - own_words(study) - {"UTC", "submarine"} == set()


def test_what_is_not_there_is_told_in_japanese(researcher: Client, study: Study) -> None:
    assert "この研究にそのような項目はありません。" in page(researcher, "item", study, pk=987654)


def test_programs_are_sent_keys_whatever_their_language(member: Member, study: Study) -> None:
    item = Item.objects.filter(study=study)[0]
    ItemFlag.objects.create(study=study, item=item, flag=ItemFlag.Flag.SUSPICIOUS)
    assert member.user is not None
    found = send(program(member.user, **JAPANESE), "GET", f"/studies/{study.slug}/items/search?flag=suspicious").json()
    assert found["results"][0]["flags"] == ["suspicious"]


def test_the_headline_and_why_it_is_old_are_told_in_the_readers_language(study: Study) -> None:
    batch = study.batches.order_by("number")[0]
    reopen_batch(batch=batch, deadline_at=None, actor=OPERATOR)
    with override("ja"):
        headline = headline_of(study)
        assert headline is not None
        assert "バッチ1が再び公開されました。" in headline.stale_because
        (words,) = [text for text in headline.words if "τ" in text]
        assert re.search(r"換算前は .*（変化の95%信頼区間 .*から.*）。$", words)
        assert not re.search(r"[a-z]{3,}", re.sub("「.*?」", "", words))
    headline = headline_of(study)
    assert headline is not None
    assert headline.stale_because == "Batch 1 was opened again, and may change until closed."


def test_a_bundle_is_asked_for_in_japanese_and_written_in_english(
    researcher: Client, member: Member, study: Study, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(settings, "EXPORTS_DIR", tmp_path)
    for name in [name for name in TABLES if name != "agreement"]:
        monkeypatch.delitem(TABLES, name)
    assert "すべてを一つのアーカイブに" in page(researcher, "agreement_paper", study)
    bundle = request_bundle(study=study, requested_by=member, actor=OPERATOR)
    with override("ja"):
        run_job(BUNDLES, bundle.pk)
    bundle.refresh_from_db()
    with zipfile.ZipFile(bundle.path) as archive:
        texts = "".join(archive.read(name).decode() for name in archive.namelist() if name.endswith((".md", ".tex")))
    assert "Signature" in texts
    assert not re.search("[ぁ-ん]", texts)
    made = researcher.get(
        reverse("agreement_paper", args=[study.slug]), headers={"HX-Request": "true", "HX-Target": "made"}
    ).content.decode()
    assert "Resが依頼" in made
    assert english_words(re.sub(r"<code>.*?</code>|[\w-]+\.zip", "", made)) - own_words(study) <= {"Res", "SHA", "UTC"}
