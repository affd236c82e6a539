"""The pages of scores that are sent back, in Japanese."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.jobs.contract import run_job
from annotation_platform.scoreback.models import ScoreSending
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.studies.models import Role, Study
from tests.annotations.test_languages import JAPANESE, english_words
from tests.factories import MemberFactory
from tests.scoreback.worlds import destination_for, judged_study
from tests.servers.score_takers import ScoreTakers

pytestmark = [pytest.mark.django_db, pytest.mark.pages]

OWN = {"How", "good", "Which", "tone", "Dry", "quality", "Tides", "Wren"}
NAMES = {"Langfuse", "Arize", "Phoenix", "LangSmith", "UTC"}


@pytest.fixture(scope="module")
def study(module_db: None) -> Study:
    return judged_study("langfuse", name="Tides")


@pytest.fixture
def admin(study: Study) -> Client:
    client = Client(headers=JAPANESE)
    client.force_login(MemberFactory(study=study, role=Role.ADMIN, pseudonym="Wren").user)
    return client


@pytest.fixture
def takers(settings: Any) -> Iterator[ScoreTakers]:
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with ScoreTakers() as server:
        yield server


def left_in_english(page: str) -> set[str]:
    return (
        english_words(re.sub(r"<code>.*?</code>|<pre>.*?</pre>|[\w.-]+@[\w.]+", "", page, flags=re.DOTALL))
        - OWN
        - NAMES
    )


def test_a_destination_is_set_up_and_its_log_read_in_japanese(study: Study, admin: Client, takers: ScoreTakers) -> None:
    listed = admin.get(reverse("scores_back", args=[study.slug])).content.decode()
    assert '<span class="num">2</span>件に、送り先が知っているかもしれないトレースがあります。' in listed
    assert left_in_english(listed) == set()
    destination = destination_for(study, "langfuse", takers.url)
    address = reverse("score_destination", args=[study.slug, "langfuse"])
    page = admin.get(address).content.decode()
    assert "公開キー（pk-lf-…）" in page
    assert "観点ごとに一つの点数：すべての判定の平均" in page
    assert re.search(r"終了したバッチの点数<strong class=.num.>[0-9]+</strong>件を、", page)
    step = reverse("change_score_sending", args=[study.slug, "langfuse"])
    assert "点数を送っています。" in admin.post(step, {"step": "send"}, follow=True).content.decode()
    run_job(SENDINGS, ScoreSending.objects.get(destination=destination).pk)
    sent = admin.get(address).content.decode()
    assert "完了" in sent
    assert "送信済み" in sent
    assert "Wren" in sent
    assert left_in_english(sent) == set()
    refused = admin.post(step, {"step": "resume"}, follow=True).content.decode()
    assert "この送信は一時停止していません。" in refused
