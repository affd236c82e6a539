"""Annotators see no difference between a check and any other item."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation_platform.annotations.selectors import assignments_of, held_assignment, items_of
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.schemes import InvalidJudgmentError
from annotation_platform.crowd.checks.models import Action, CheckAction, CheckResult
from annotation_platform.studies.models import AssignmentState, Item, Member, Study
from annotation_platform.studies.services import close_batch, return_assignment
from tests.crowd.checks.pieces import RIGHT, WRONG, items_shown, judge, set_rule, study_with_checks, take
from tests.factories import OPERATOR, MemberFactory, submit
from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_checks(articles=2)


@pytest.fixture
def annotator(study: Study) -> Member:
    return MemberFactory(study=study)


@pytest.fixture
def client(annotator: Member) -> Client:
    client = Client()
    client.force_login(annotator.user)
    return client


def bare(page: str, item: Item) -> str:
    """A judge page without its item's own texts, its position, and what every form has of its own."""
    texts = [item.question.text, *(each.answer.text for each in item_candidates(item))]
    texts += [each.text for each in item.question.article.sentences.all()] + [item.question.article.title]
    for text in filter(None, texts):
        page = page.replace(text, "…")
    page = re.sub(r'name="(csrfmiddlewaretoken|submission)" value="[^"]*"', r'name="\1"', page)
    page = re.sub(r"(csrf|nonce|X-CSRFToken)[^,>]*", "", page)
    page = re.sub(r'aria-current="step"', "", page)
    return re.sub(rf"\b{item.position}\b", "#", page)


def item_candidates(item: Item) -> list[object]:
    return list(item.candidates(manager="every").select_related("answer"))


def test_no_page_tells_which_item_is_the_check(study: Study, annotator: Member, client: Client) -> None:
    place = take(annotator)
    pages = {}
    for item in some(items_shown(place)):
        page = client.get(reverse("judge", args=[place.pk, item.position])).content.decode()
        for sign in ("is_check", "gold", "attention", "check_item", "placement"):
            assert sign not in page.lower().replace("needs attention", "")
        assert not re.search(rf"[^0-9]{item.pk}[^0-9]", page) or item.pk < 100, "no key of an item, which tells its age"
        pages[item.is_check] = bare(page, item)
        names = sorted(set(re.findall(r"[\w-]+(?==\")", page)))
        pages[item.is_check, "names"] = names
    assert pages[True, "names"] == pages[False, "names"]


def test_progress_counts_checks_as_all_others(study: Study, annotator: Member, client: Client) -> None:
    place = take(annotator)
    shown = items_shown(place)
    held = held_assignment(annotator.user, place.pk)
    assert list(items_of(held)) == shown
    for number, item in enumerate(shown[:-1], start=1):
        submit(place, item, **RIGHT)
        task = assignments_of(annotator.user, AssignmentState.CLAIMED).get()
        assert (task.item_count, task.judged_count, task.next_position) == (len(shown), number, number + 1)
    submit(place, shown[-1], **RIGHT)
    assert client.get(reverse("done", args=[place.pk])).status_code == 200


def test_a_task_that_was_given_back_and_taken_again_has_its_check_judged_still(study: Study, annotator: Member) -> None:
    place = take(annotator)
    check = next(item for item in items_shown(place) if item.is_check)
    submit(place, check, **WRONG)
    return_assignment(assignment=place, annotator=annotator, actor=OPERATOR)
    assert not check.annotations(manager="given").current().exists()
    again = take_task(annotator=annotator, actor=OPERATOR)
    assert again.hit_id == place.hit_id
    for item in items_shown(again):
        if not item.is_check:
            submit(again, item, **RIGHT)
    assert CheckResult.objects.filter(passed=False).count() == 1


def test_sentences_are_checked_by_the_checks_own_document(annotator: Member) -> None:
    place = take(annotator)
    check = next(item for item in items_shown(place) if item.is_check)
    article = check.question.article
    assert article.pk != place.hit.article_id
    type(article).objects.filter(pk=article.pk).update(sentence_count=2)
    with pytest.raises(InvalidJudgmentError) as refused:
        submit(place, check, **RIGHT, sentences=[5])
    assert set(refused.value.errors) == {"sentences"}
    submit(place, check, **RIGHT, sentences=[2])


def test_a_warning_leads_on_to_no_task_whose_batch_has_closed(annotator: Member, client: Client) -> None:
    close_batch(batch=take(annotator).hit.batch, because="by R", actor=OPERATOR)
    counted = {"judged": 1, "failed": 1, "last_result": 0}
    note = CheckAction.objects.create(annotator=annotator, action=Action.WARN, because="Read all.", **counted)
    assert client.post(reverse("work_note", args=[note.pk])).url == reverse("work")


def test_a_warning_stands_before_the_next_task_once(
    study: Study, annotator: Member, client: Client, django_capture_on_commit_callbacks: object
) -> None:
    set_rule(study, action=Action.WARN, most_failed=1, words="Please read <b>all</b> of it.")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        judge(take(annotator), checks=WRONG)
    note = CheckAction.objects.get()
    url = reverse("work_note", args=[note.pk])
    taken = client.post(reverse("take", args=[study.slug]))
    assert taken.url == url
    page = client.get(url).content.decode()
    assert "Please read &lt;b&gt;all&lt;/b&gt; of it." in page
    assert "check" not in page.lower().replace("checked", "").split("<main", 1)[-1]
    other = Client()
    other.force_login(MemberFactory(study=study).user)
    assert other.get(url).status_code == 404
    assert Client().get(url).status_code == 302
    assert client.post(url).url.startswith("/work/")
    assert not client.post(reverse("take", args=[study.slug])).url.startswith(url)
    note.refresh_from_db()
    assert note.read_at is not None


def test_who_is_excluded_by_their_last_task_is_led_to_the_reason(
    study: Study, annotator: Member, client: Client, django_capture_on_commit_callbacks: object
) -> None:
    set_rule(study, action=Action.EXCLUDE, most_failed=1)
    place = take(annotator)
    *others, last = items_shown(place)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        for item in others:
            submit(place, item, **WRONG)
        submit(place, last, **WRONG)
    done = client.get(reverse("done", args=[place.pk]))
    assert done.url == reverse("work")
    assert "Read the whole document." in client.get(done.url).content.decode()
