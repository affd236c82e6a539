"""The history of a study: who did what when, in the reader's language."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.translation import gettext, override

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.deleting import delete_account
from annotation_platform.accounts.models import Event
from annotation_platform.accounts.verbs import Verb
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.models import ExportFormat
from annotation_platform.scoring.methods import METHODS
from annotation_platform.scoring.services import start_run
from annotation_platform.studies.models import AssignmentState, Member, Role
from annotation_platform.studies.services import (
    change_overlap,
    change_role,
    claim_assignment,
    close_batch,
    open_batch,
    plan_batches,
    set_deadline,
)
from annotation_platform.workspace.history.events import SIZE
from annotation_platform.workspace.history.fields import FIELDS, VALUES
from annotation_platform.workspace.history.wording import SENTENCES, TOPICS
from tests.factories import (
    OPERATOR,
    MemberFactory,
    UserFactory,
    close_all,
    make_study,
    open_study,
    study_with_judgments,
    submit,
)


def words_of(member: Member, language: str = "en", **query: str) -> str:
    client = Client(headers={"accept-language": language})
    client.force_login(member.user)
    page = client.get(reverse("history", args=[member.study.slug]), query)
    assert page.status_code == 200
    return " ".join(strip_tags(page.content.decode()).split())


@pytest.fixture
def researcher(db: None) -> Member:
    return MemberFactory(study=make_study(name="Owls"), role=Role.RESEARCHER, pseudonym="Finch")


def acts(member: Member) -> Actor:
    return Actor.person(member.user_id, address="192.0.2.7")


def test_it_tells_who_did_what_with_what_change_the_newest_first(researcher: Member) -> None:
    (batch,) = plan_batches(study=researcher.study)[:1]
    change_overlap(study=researcher.study, overlap=5, actor=acts(researcher))
    open_batch(batch=batch, deadline_at=datetime(2040, 5, 4, 7, 30, tzinfo=UTC), actor=acts(researcher))
    close_batch(batch=batch, because="deadline reached", actor=Actor.worker("sweep"))

    words = words_of(researcher)

    closed = words.index("The platform (sweep) closed batch 1. Reason: deadline reached")
    opened = words.index("Finch opened batch 1. Deadline: 4 May 2040, 07:30 UTC")
    assert closed < opened < words.index("Finch changed the settings. Overlap: 2 → 5")
    assert "192.0.2.7" not in words


def test_it_is_in_japanese_for_who_reads_japanese(researcher: Member) -> None:
    change_role(member=researcher, role=Role.ADMIN, actor=Actor.worker("import", 3, on_behalf_of=researcher.user_id))

    assert "プラットフォーム（Finchの依頼、import 3）がFinchの役割を変えました。 役割: 研究者 → 管理者" in words_of(
        researcher, "ja"
    )


def test_it_can_be_narrowed_down_to_a_kind(researcher: Member) -> None:
    change_overlap(study=researcher.study, overlap=5, actor=OPERATOR)

    assert "changed the settings" in words_of(researcher, kind="study")
    assert "to the study" not in words_of(researcher, kind="study")
    assert "Nothing of this kind has been done yet." in words_of(researcher, kind="export")
    assert "to the study" in words_of(researcher, kind="nonsense")


def test_annotators_are_known_by_pseudonym_also_when_their_account_is_gone(db: None) -> None:
    annotator = MemberFactory(study=open_study(), pseudonym="Wren", user=UserFactory(email="ada@example.org"))
    place = claim_assignment(annotator=annotator, actor=acts(annotator))
    submit(place, place.hit.items.first())
    researcher = MemberFactory(study=annotator.study, role=Role.RESEARCHER)
    assert annotator.user is not None
    delete_account(user=annotator.user, actor=acts(annotator))

    words = words_of(researcher)

    assert "Wren submitted a judgment." in words
    assert "The account of Wren was deleted." in words
    assert "ada@" not in words


def test_only_who_runs_a_study_reads_its_history(db: None) -> None:
    annotator, stranger = MemberFactory(), MemberFactory(role=Role.ADMIN)
    for member in (annotator, stranger):
        client = Client()
        client.force_login(member.user)
        assert client.get(reverse("history", args=[annotator.study.slug])).status_code == 404


def test_a_long_history_has_pages_each_for_as_few_queries_as_the_first(researcher: Member) -> None:
    study = researcher.study
    (batch,) = plan_batches(study=study)[:1]
    open_batch(batch=batch, actor=OPERATOR)
    for days in range(1, SIZE + 11):
        set_deadline(batch=batch, deadline_at=timezone.now() + timedelta(days=days), actor=acts(researcher))
    client = Client()
    client.force_login(researcher.user)
    path = reverse("history", args=[study.slug])
    first = client.get(path)
    assert (len(first.context["lines"]), first.context["page"].earlier) == (SIZE, "")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        second = client.get(path, {"after": first.context["page"].later})

    assert "opened batch 1" in second.content.decode()
    assert len(second.context["lines"]) == Event.objects.filter(study=study.pk).count() - SIZE
    back = client.get(path, {"before": second.context["page"].earlier})
    assert [line.at for line in back.context["lines"]] == [line.at for line in first.context["lines"]]
    # session, user, study, member; keys, events, names, members, batches
    assert len(queries) <= 10


def test_every_verb_has_a_sentence_in_english_and_in_japanese() -> None:
    assert set(SENTENCES) == set(Verb)
    with override("ja"):
        untranslated = [
            text for text in (*SENTENCES.values(), *TOPICS.values(), *FIELDS.values()) if gettext(text) == text
        ]
    assert untranslated == []


def test_codes_are_told_in_the_words_of_the_pages(db: None) -> None:
    study = study_with_judgments(annotators=2, name="Wrens")
    close_all(study)
    start_run(study=study, scorer="distilled", actor=OPERATOR)
    runner = MemberFactory(study=study, role=Role.RESEARCHER)
    annotator = MemberFactory(study=open_study(name="Larks"), pseudonym="Wren")
    place = claim_assignment(annotator=annotator, actor=acts(annotator))
    for item in place.hit.items.all():
        submit(place, item)
    assert "Method: Explanation-based rescaling Scorer: Distilled rescaler" in words_of(runner)
    assert "手法: 説明に基づく換算" in words_of(runner, "ja")
    told = words_of(MemberFactory(study=annotator.study, role=Role.RESEARCHER))
    assert "Task: taken → submitted" in told
    assert "Wren took a task." in told
    assert "Annotator: Wren" not in told, "said already"


def test_the_words_for_codes_are_those_of_the_models() -> None:
    assert {method.name: method.title for method in METHODS} == VALUES["method"]
    assert {who.scorer: who.title for method in METHODS for who in method.scored_by} == VALUES["scorer"]
    assert {value: str(label) for value, label in ExportFormat.choices} == VALUES["format"]
    assert set(VALUES["status"]) == set(JobStatus.values)
    assert set(VALUES["task"]) == set(AssignmentState.values)


def test_every_topic_of_a_verb_that_a_study_has_can_be_chosen() -> None:
    assert {verb.topic for verb in Verb} - {"account", "import"} == set(TOPICS)
