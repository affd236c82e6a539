"""The pages of runs in Japanese: their forms follow from parameters that are declared once, in English."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import get_language, override

from annotation_platform.accounts.language import in_language
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.contract import JobKind, claim, execute
from annotation_platform.jobs.heartbeat import Heartbeat
from annotation_platform.scoring.bills import expected_in_words
from annotation_platform.scoring.methods import METHODS
from annotation_platform.scoring.models import ModelConnection, ScoringRun
from annotation_platform.scoring.options import schema_of
from annotation_platform.scoring.services import RUNS, start_run
from annotation_platform.studies.models import Role, Study
from tests.annotations.test_languages import JAPANESE, english_words
from tests.factories import OPERATOR, MemberFactory, UserFactory, close_all, study_with_judgments

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

NAMES = set(
    re.findall(
        r"[A-Za-z]{3,}",
        "example org person gemma EBR ACORN LLM-MATE REV OpenAI OPENAI_MODEL JSON Batch API SHA https api openai com"
        " UTC",
    )
)


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = study_with_judgments()
    close_all(study)
    MemberFactory(study=study, role=Role.RESEARCHER, pseudonym="Res")
    ModelConnection.objects.create(name="gemma", base_url="https://models.example/v1", model="gemma")
    return study


@pytest.fixture
def researcher(study: Study) -> Client:
    client = Client(headers=JAPANESE)
    client.force_login(study.members.get(role=Role.RESEARCHER).user)
    return client


def scored(study: Study) -> ScoringRun:
    run = claim(RUNS, start_run(study=study, parameters={}, actor=OPERATOR).pk)
    assert run is not None
    return execute(RUNS, run)


def page(client: Client, name: str, study: Study, **where: object) -> str:
    return client.get(reverse(name, kwargs={"slug": study.slug, **where})).content.decode()


def own_words(study: Study) -> set[str]:
    """What the study itself says in English: its name, its scheme, and who is signed in."""
    said = f"{study.name} {study.scheme_version} " + " ".join(aspect.title for aspect in study.scheme().aspects)
    mails = " ".join(study.members.values_list("user__email", flat=True))
    return NAMES | set(re.findall(r"[A-Za-z]{3,}", f"{said} {mails}"))


def test_no_english_is_left_on_the_pages_of_runs(researcher: Client, study: Study) -> None:
    run = scored(study)
    listed = page(researcher, "scoring", study)
    assert "実行を始める" in listed
    assert "説明に基づく換算の実行" in listed
    assert "蒸留した換算モデル" in listed
    told = page(researcher, "run", study, pk=run.pk)
    assert "ラベルに対するアノテーターの平均の割合" in told
    for shown in (listed, re.sub(r"<code>.*?</code>|[0-9a-f]{64}", "", told), page(researcher, "unread", study)):
        assert english_words(shown) - own_words(study) == set()


def test_a_form_is_in_japanese_and_its_declaration_in_english(researcher: Client, study: Study) -> None:
    form = page(researcher, "new_run", study, method="ebr")
    assert "返答の長さの上限（トークン）" in form
    assert "空にすると何も送らず、サーバーの既定値が使われます。" in form
    assert "ラベル、説明、記事" in form
    assert english_words(form) - own_words(study) == set()
    with override("ja"):
        for method in METHODS:
            schemas = str([schema_of(each.parameters, method.options()) for each in method.scored_by])
            assert not re.search("[ぁ-ん]", schemas)


def test_every_mistake_is_told_in_japanese_beside_its_field(researcher: Client, study: Study) -> None:
    form = {"scorer": "openai", "connection": "gemma", "lambda": "7", "max_tokens": "many", "budget": "a lot"}
    refused = researcher.post(reverse("new_run", args=[study.slug, "ebr"]), form)
    assert refused.status_code == 422
    said = refused.content.decode()
    assert "7 は 1 以下ではありません" in said
    assert "返答の長さの上限（トークン）：「many」は整数ではありません。" in said
    assert "予算：「a lot」はドルの金額ではありません。" in said


def test_a_model_connection_is_set_up_in_japanese(researcher: Client, study: Study) -> None:
    address = reverse("new_study_connection", args=[study.slug])
    form = researcher.get(address).content.decode()
    assert "同時に送る要求の数" in form
    assert english_words(form) - own_words(study) == set()
    sent = {"name": "own", "base_url": "ftp://models", "model": "m", "concurrency": "8", "timeout": "60"}
    refused = researcher.post(address, sent | {"structured": "auto"})
    assert "http(s) のアドレスではありません。" in refused.content.decode()
    saved = sent | {"base_url": "https://models.example/v1", "structured": "auto", "is_active": "on"}
    listed = researcher.post(address, saved, follow=True).content.decode()
    assert "「own」を保存しました。" in listed
    assert "まだ不明：試してください" in listed
    assert "この名前のモデル接続はすでにあります。" in researcher.post(address, saved).content.decode()


def test_the_platforms_connections_and_the_settings_are_in_japanese(researcher: Client, study: Study) -> None:
    staff = Client(headers=JAPANESE)
    staff.force_login(UserFactory(is_staff=True))
    assert "どの研究でも使えます。" in staff.get(reverse("connections")).content.decode()
    settings = page(researcher, "scoring_settings", study)
    assert "バッチが終了したときの動作" in settings
    assert english_words(re.sub(r"<code>.*?</code>|<pre.*?</pre>", "", settings, flags=re.DOTALL)) <= own_words(study)


def test_a_job_works_in_the_platforms_language_whoever_reads(study: Study) -> None:
    spoken = []

    def do(run: ScoringRun, heartbeat: Heartbeat) -> None:
        spoken.append(get_language())

    run = start_run(study=study, parameters={}, actor=OPERATOR)
    with override("ja"):
        execute(JobKind("spoken", ScoringRun, do), run)
    assert spoken == ["en"]


def test_the_bill_of_a_dry_run_is_kept_as_codes() -> None:
    dollars = {"dollars expected": 1.5, "dollars low": 1.0, "dollars high": 2.0}
    bill = expected_in_words(dollars | {"tokens expected": 1200, "requests": 30})
    assert bill == "$1.5000 (between $1.0000 and $2.0000), 1,200 tokens, 30 requests"
    stopped = Reason("scoring.dry_run_done", tried=10, items=30, bill=bill)
    with override("ja"):
        assert "約 $1.5000（$1.0000から$2.0000）" in in_language(stopped)
        assert "要求30件" in in_language(stopped)
