"""The hint that an explanation says little: from the server, logged, dismissible, switchable, never in the way."""

from typing import Any

import pytest
from django.urls import reverse

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Hint
from annotation_platform.annotations.selectors import hint_outcomes, hint_tallies
from annotation_platform.core.methods.vacuousness import Reason
from annotation_platform.core.schemes import preset
from annotation_platform.studies.models import Study
from tests.annotations.desk import FORM, Desk, client_of, sit_down
from tests.annotations.every_kind import FORM as EVERY_KIND
from tests.annotations.every_kind import study_of
from tests.annotations.worked_examples import study_of_examples
from tests.factories import OPERATOR, MemberFactory
from tests.markup import markup

pytestmark = pytest.mark.pages

VACUOUS = "The answer misses some."
NONE_CITED = {"aspect-sentences": "", "aspect-sentences-none": "1"}
TELLING = "It leaves out that the bridge closed in May (sentence 7)."


def ask(desk: Desk, text: str, slot: str = "reasons", **fields: Any) -> str:
    """What the page gets when the annotator pauses after this text."""
    headers = {"HX-Request": "true"} | fields.pop("headers", {})
    form = FORM | {f"aspect-{slot}": text, "slot": slot} | fields | desk.hidden()
    response = desk.client.post(desk.url("hint"), form, headers=headers)
    assert response.status_code == 200
    return markup(response)


def test_a_vacuous_explanation_earns_a_hint_and_a_telling_one_nothing(desk: Desk) -> None:
    hint = ask(desk, VACUOUS)
    assert "What exactly made you choose it?" in hint
    assert "It is fine" in hint
    assert ask(desk, TELLING) == ""
    assert ask(desk, "   ") == ""
    shown = Hint.objects.get()
    assert (shown.annotator, shown.item, shown.aspect, shown.candidate) == (desk.annotator, desk.items[0], "reasons", 0)
    assert (shown.text, shown.reason, shown.dismissed_at) == (VACUOUS, Reason.REPEATS_LABEL, None)
    assert shown.score < 1


def test_what_the_item_says_counts_for_nothing(desk: Desk) -> None:
    item = desk.items[0]
    assert "repeats what is being judged" in ask(desk, item.answer.text)
    assert Hint.objects.get().reason == Reason.REPEATS_CONTEXT


def test_the_words_follow_the_reason_and_the_readers_language(desk: Desk) -> None:
    assert "まだ言葉が書かれていません" in ask(desk, "!!!", headers={"Accept-Language": "ja"})
    assert "上で選んだ内容" in ask(desk, "少し不足です。", headers={"Accept-Language": "ja"})


def test_pausing_again_on_the_same_text_is_the_same_hint(desk: Desk) -> None:
    assert ask(desk, VACUOUS) == ask(desk, VACUOUS) != ""
    assert Hint.objects.count() == 1
    ask(desk, "Misses a lot.")
    assert Hint.objects.count() == 2


def test_once_dismissed_it_stays_away_from_that_field(desk: Desk) -> None:
    ask(desk, VACUOUS)
    assert ask(desk, VACUOUS, dismiss="1") == ""
    assert Hint.objects.get().dismissed_at is not None
    assert ask(desk, "Misses a lot.") == ""
    assert Hint.objects.count() == 1


def test_a_study_can_do_without(desk: Desk) -> None:
    assert 'hx-trigger="input changed delay:1200ms"' in markup(desk.client.get(desk.url()))
    desk.study.gives_hints = False
    desk.study.save()
    assert "delay:1200ms" not in markup(desk.client.get(desk.url()))
    assert ask(desk, VACUOUS) == ""
    assert not Hint.objects.exists()


def test_only_texts_that_explain_something_earn_hints(db: None) -> None:
    desk = sit_down(study_of("every_kind"))
    page = markup(desk.client.get(desk.url()))
    assert page.count("delay:1200ms") == 1, "the remark explains nothing"
    form = EVERY_KIND | {"aspect-why": "A is the best.", "slot": "why"} | desk.hidden()
    assert "<p>" in markup(desk.client.post(desk.url("hint"), form))
    for slot in ("remark", "best", "nothing", "why.2"):
        assert desk.client.post(desk.url("hint"), form | {"slot": slot}).content == b""


@pytest.mark.parametrize(("key", "slot", "asks"), [("ebr", "reasons", True), ("lfqa", "why", False)])
def test_a_sentence_is_asked_for_only_where_one_can_be_named(db: None, key: str, slot: str, asks: bool) -> None:
    desk = sit_down(study_of_examples(preset(key)).study)
    assert ("Which sentence is it about?" in ask(desk, "Good, it covers everything.", slot, **NONE_CITED)) is asks


def test_the_log_tells_whether_the_text_changed(desk: Desk) -> None:
    ask(desk, VACUOUS)
    (outcome,) = hint_outcomes(desk.study)
    assert outcome.has_changed is None
    desk.submit(form=FORM | {"aspect-reasons": VACUOUS})
    assert [outcome.has_changed for outcome in hint_outcomes(desk.study)] == [False]
    ask(desk, "Misses a lot.")
    desk.submit(form=FORM | {"aspect-reasons": TELLING})
    assert [outcome.has_changed for outcome in hint_outcomes(desk.study)] == [False, True]


def test_a_text_that_says_the_label_and_nothing_more_has_changed_all_the_same(desk: Desk) -> None:
    assert ask(desk, "yes") != ""
    desk.submit(form=FORM | {"aspect-correct": "yes", "aspect-reasons": TELLING})
    assert [outcome.has_changed for outcome in hint_outcomes(desk.study)] == [True]


def test_what_came_of_the_hints_is_tallied_by_reason_on_the_schemes_page(desk: Desk) -> None:
    ask(desk, VACUOUS)
    desk.submit(form=FORM | {"aspect-reasons": VACUOUS})
    ask(desk, "Misses a lot.")
    desk.submit(form=FORM | {"aspect-reasons": TELLING})
    ask(desk, "Misses all.")
    ask(desk, "Misses all.", dismiss="1")
    (tally,) = hint_tallies(desk.study)
    assert (tally.reason, tally.shown) == (Reason.REPEATS_LABEL, 3)
    assert (tally.changed, tally.kept, tally.dismissed) == (1, 1, 1)
    page = markup(admins_page(desk))
    assert '<th scope="row">restates the label</th><td class="num">3</td>' in page


def test_a_hint_goes_along_with_its_field_under_another_key(desk: Desk) -> None:
    ask(desk, VACUOUS)
    ask(desk, VACUOUS, dismiss="1")
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][-1]["key"] = "why"
    migrate_scheme(study=desk.study, definition=definition, renamings=["reasons = why"], actor=OPERATOR)
    desk.study = Study.objects.get(pk=desk.study.pk)
    assert ask(desk, "Misses a lot.", "why") == "", "it was dismissed there"
    desk.submit(form=FORM | {"aspect-why": VACUOUS})
    assert [outcome.has_changed for outcome in hint_outcomes(desk.study)] == [False]


def test_nobody_changed_a_text_whose_field_was_asked_no_more(desk: Desk) -> None:
    ask(desk, VACUOUS)
    definition = preset("ebr") | {"examples": [], "rescale": []}
    del definition["aspects"][-1]
    migrate_scheme(study=desk.study, definition=definition, actor=OPERATOR)
    desk.study = Study.objects.get(pk=desk.study.pk)
    desk.submit(form={key: text for key, text in FORM.items() if key != "aspect-reasons"})
    assert Annotation.objects.exists()
    assert [outcome.has_changed for outcome in hint_outcomes(desk.study)] == [None]


def test_an_admin_switches_the_hints_of_a_study_off_and_on(desk: Desk) -> None:
    assert "Hints are off now." in markup(admins_page(desk, hints="off"))
    desk.study.refresh_from_db()
    assert not desk.study.gives_hints
    assert ask(desk, VACUOUS) == ""
    assert "Hints are on now." in markup(admins_page(desk, hints="on"))
    assert ask(desk, VACUOUS) != ""


def admins_page(desk: Desk, **sent: str) -> Any:
    """The scheme's page as an admin of the study sees it, after what is sent."""
    client, url = (
        client_of(MemberFactory(study=desk.study, role="admin")),
        reverse("edit_scheme", args=[desk.study.slug]),
    )
    return client.post(url, sent, follow=True) if sent else client.get(url)


def test_a_vacuous_explanation_is_stored_all_the_same(desk: Desk) -> None:
    ask(desk, VACUOUS)
    assert desk.submit(form=FORM | {"aspect-reasons": VACUOUS}).status_code == 302
    assert Annotation.objects.get().values["reasons"] == VACUOUS


@pytest.mark.parametrize("role", ["annotator", "researcher"])
def test_nobody_else_can_ask(desk: Desk, role: str) -> None:
    other = client_of(MemberFactory(study=desk.study, role=role))
    hidden = desk.hidden(holder="")
    assert other.post(desk.url("hint"), FORM | {"slot": "reasons"} | hidden).status_code == 404
