"""An edited scheme for a study with judgments: what is appended, what stays, and that a dry run stores nothing."""

import copy
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from annotation_platform.analysis.snapshots.stored import headline_of
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Draft, Rating
from annotation_platform.annotations.services import SchemeChangedError, save_draft
from annotation_platform.core.errors import InvalidInputError
from annotation_platform.core.schemes import preset, read_scheme
from annotation_platform.studies.building import UnfitCorpusError
from annotation_platform.studies.models import SchemeVersion, Study
from annotation_platform.studies.selectors import item_shape, item_shapes
from annotation_platform.studies.services import claim_assignment, return_assignment
from tests.annotations.desk import FORM, sit_down
from tests.core.whole_schemes import GROUP
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, open_study, study_with_judgments, submit
from tests.markup import markup
from tests.some import some

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
Data = dict[str, Any]


def edited(**changes: Any) -> Data:
    """The ``ebr`` scheme with its completeness renamed, one of its choices renamed and one gone."""
    data = preset("ebr") | {"examples": []} | changes
    scale = data["aspects"][1]
    scale["key"] = data["rescale"][0]["aspect"] = "fullness"
    scale["scale"]["choices"][0]["key"] = "full"
    scale["scale"]["choices"].pop(3)
    return data


RENAMINGS = ["completeness = fullness", "completeness.complete = full"]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    def values(member: Any, item: Any) -> Data:
        return {"completeness": ("complete", "missing_minor", "missing_all")[item.pk % 3]}

    return study_with_judgments(annotators=2, corpus=make_corpus(questions=3), values=values)


def rows() -> list[Any]:
    models = (Annotation, Rating, Draft, SchemeVersion)
    return [list(model.objects.order_by("pk").values()) for model in models] + list(Study.objects.values())


@pytest.mark.storage
def test_judgments_migrate_as_new_revisions_and_the_old_ones_stay(study: Study) -> None:
    before = {each["id"]: each for each in Annotation.objects.values()}
    done = migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    study.refresh_from_db()
    assert str(study.scheme_version) == done.version == "ebr v2"
    assert (done.counts.judgments, done.counts.whole, done.counts.partly, done.counts.left) == (18, 12, 6, 0)
    assert done.counts.incomplete == 6
    assert done.counts.lost == {"completeness: there is no choice 'missing_all' any more": 6}
    assert "12 of 18 judgments migrate with all they say." in done.counts.lines

    for old in some(Annotation.objects.filter(pk__in=before)):
        assert not old.is_current
        assert {**before[old.pk], "is_current": False} == Annotation.objects.filter(pk=old.pk).values().get()
    new = list(Annotation.objects.exclude(pk__in=before).select_related("carried_from"))
    assert len(new) == 18
    for each in new:
        old = each.carried_from
        assert old is not None
        assert each.is_current
        assert each.scheme_version == study.scheme_version
        assert (each.revision, each.created_at, each.seconds) == (old.revision + 1, old.created_at, old.seconds)
        label = {"complete": "full", "missing_minor": "missing_minor"}.get(old.values["completeness"])
        expected = {key: value for key, value in old.values.items() if key != "completeness"}
        assert each.values == expected | ({"fullness": label} if label else {})
    labels = Rating.objects.filter(annotation__in=[each.pk for each in new], aspect="fullness")
    assert labels.count() == 12
    assert not Rating.objects.filter(annotation__is_current=True, aspect="completeness").exists()


def test_a_dry_run_counts_the_same_and_stores_nothing(study: Study) -> None:
    before = rows()
    dry = migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, dry_run=True, actor=OPERATOR)
    assert rows() == before
    wet = migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    assert dry == wet
    assert rows() != before


def test_what_fits_nothing_stays_under_the_old_version_and_counts_no_more(study: Study) -> None:
    data = preset("ebr") | {
        "examples": [],
        "rescale": [],
        "aspects": [{"key": "other", "kind": "stars", "title": "Something else"}],
    }
    done = migrate_scheme(study=study, definition=data, actor=OPERATOR)
    assert (done.counts.left, done.counts.whole) == (18, 0)
    assert not Annotation.objects.current().exists()
    assert Annotation.objects.filter(scheme_version__number=1).count() == 18


def test_a_stricter_rule_empties_no_text_and_marks_those_given_under_the_earlier_one(study: Study) -> None:
    data = copy.deepcopy(study.scheme_version.definition) | {"examples": []}
    next(each for each in data["aspects"] if each["key"] == "reasons")["min_length"] = 4_000
    before = sorted(Annotation.objects.current().values_list("item", "annotator", "values__reasons"))
    done = migrate_scheme(study=study, definition=data, actor=OPERATOR)
    assert (done.counts.whole, done.counts.partly, done.counts.earlier_rules) == (18, 0, 18)
    assert "18 keep an answer that the new version would not accept today" in " ".join(done.counts.lines)
    assert sorted(Annotation.objects.current().values_list("item", "annotator", "values__reasons")) == before
    assert all(each.under_earlier_rule == ["reasons"] for each in Annotation.objects.current())
    back = copy.deepcopy(data)
    next(each for each in back["aspects"] if each["key"] == "reasons")["min_length"] = 1
    study.refresh_from_db()
    assert migrate_scheme(study=study, definition=back, actor=OPERATOR).counts.earlier_rules == 0
    assert all(each.under_earlier_rule == [] for each in Annotation.objects.current())


@pytest.mark.storage
def test_a_version_and_back_again(study: Study) -> None:
    first = study.scheme_version
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    study.refresh_from_db()
    migrate_scheme(
        study=study,
        definition=first.definition,
        renamings=["fullness = completeness", "fullness.full = complete"],
        actor=OPERATOR,
    )
    study.refresh_from_db()
    assert study.scheme_version == first
    assert SchemeVersion.objects.count() == 2
    assert set(Annotation.objects.current().values_list("revision", flat=True)) == {3}
    whole = Annotation.objects.current().filter(values__has_key="completeness")
    assert all(each.values == each.carried_from.carried_from.values for each in some(whole))  # type: ignore[union-attr]


def test_drafts_keep_what_was_typed_and_open_forms_are_told() -> None:
    study = open_study()
    annotator = MemberFactory(study=study)
    place = claim_assignment(annotator=annotator, actor=OPERATOR)
    item = place.hit.items.first()
    typed = {"completeness": "complete", "reasons": "Half a thou", "sentences": "3, x"}
    save_draft(annotator=annotator, item=item, values=typed, seconds=3, version=0)
    stale = Study.objects.get(pk=study.pk)
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    draft = Draft.objects.get()
    assert draft.values == {"fullness": "full", "reasons": "Half a thou", "sentences": "3, x"}
    assert draft.version == 2
    item.study = stale
    with pytest.raises(SchemeChangedError):
        submit(place, item)


OLD_FORM = {
    "aspect-correct": "yes",
    "aspect-completeness": "complete",
    "aspect-sentences": "3, x",
    "aspect-reasons": "Half a thou",
}
CARRIED = {"correct": "yes", "fullness": "full", "sentences": "3, x", "reasons": "Half a thou"}


def test_a_form_that_was_open_when_the_study_migrated_is_saved_under_the_new_keys() -> None:
    desk = sit_down(open_study())
    fields = OLD_FORM | desk.hidden()
    migrate_scheme(study=desk.study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    saved = desk.client.post(desk.url("draft"), fields).json()
    assert Draft.objects.get().values == CARRIED
    assert saved["version"] == 1
    assert "the questions have changed since this page was loaded" in saved["reason"]
    assert (
        "reason"
        not in desk.client.post(desk.url("draft", 2), {"aspect-reasons": "New"} | desk.hidden(scheme="")).json()
    )


def test_through_several_versions_too() -> None:
    desk = sit_down(open_study())
    fields = OLD_FORM | desk.hidden()
    migrate_scheme(study=desk.study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    later = edited()
    later["aspects"][3]["key"] = later["rescale"][0]["explained_by"] = "why"
    migrate_scheme(study=desk.study, definition=later, renamings=["reasons = why"], actor=OPERATOR)
    desk.client.post(desk.url("draft"), fields)
    assert Draft.objects.get().values == {
        "correct": "yes",
        "fullness": "full",
        "sentences": "3, x",
        "why": "Half a thou",
    }


def test_a_form_that_is_submitted_after_the_study_migrated_comes_back_with_all_that_has_another_key() -> None:
    desk = sit_down(open_study())
    fields = OLD_FORM | desk.hidden()
    migrate_scheme(study=desk.study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    response = desk.client.post(desk.url(), fields)
    assert response.status_code == 409
    page = markup(response)
    assert "The questions have changed since this page was loaded." in page
    assert 'id="aspect-fullness-1" value="full" checked' in " ".join(page.split())
    assert "These fields are no longer asked for" not in page
    assert Draft.objects.get().values == CARRIED


def test_a_form_that_came_back_goes_on_from_the_draft_that_was_kept_of_it() -> None:
    """Else what is submitted without a script leaves that draft behind, as if it were a newer change."""
    desk = sit_down(open_study())
    fields = OLD_FORM | desk.hidden()
    migrate_scheme(study=desk.study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    page = markup(desk.client.post(desk.url(), fields))
    desk.study = Study.objects.get(pk=desk.study.pk)
    (version,) = re.findall(r'name="version" value="(\d+)"', page)
    form = {f"aspect-{key}": text for key, text in CARRIED.items()} | {"aspect-sentences": "3"}
    desk.submit(form=form | {"aspect-reasons": "The whole thought."}, version=version)
    assert Annotation.objects.get(annotator=desk.annotator).values["reasons"] == "The whole thought."
    assert not Draft.objects.exists()


def test_a_form_comes_back_with_what_another_question_has_the_key_of_now() -> None:
    desk = sit_down(open_study())
    fields = OLD_FORM | desk.hidden()
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][2:] = [{"key": "sentences", "kind": "text", "title": "Why?"}]
    migrate_scheme(study=desk.study, definition=definition, renamings=["reasons = sentences"], actor=OPERATOR)
    page = " ".join(markup(desk.client.post(desk.url(), fields)).split())
    assert "Half a thou</textarea>" in page
    assert '<dt>earlier: sentences</dt><dd class="kept">3, x</dd>' in page
    assert Draft.objects.get().values["earlier: sentences"] == "3, x"


def test_a_draft_shows_what_another_question_has_the_key_of_now() -> None:
    desk = sit_down(open_study())
    desk.client.post(desk.url("draft"), OLD_FORM | desk.hidden())
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][2:] = [{"key": "sentences", "kind": "text", "title": "Why?"}]
    migrate_scheme(study=desk.study, definition=definition, renamings=["reasons = sentences"], actor=OPERATOR)
    page = " ".join(markup(desk.client.get(desk.url())).split())
    assert "Half a thou</textarea>" in page
    assert '<dt>earlier: sentences</dt><dd class="kept">3, x</dd>' in page


def test_a_draft_shows_what_was_typed_to_a_question_that_is_of_another_kind_now() -> None:
    desk = sit_down(open_study())
    desk.client.post(desk.url("draft"), OLD_FORM | desk.hidden())
    definition = preset("ebr") | {"examples": [], "rescale": []}
    choices = [{"key": key, "label": key} for key in ("short", "wrong")]
    definition["aspects"][3] = {"key": "reasons", "kind": "several", "title": "Why?", "choices": choices}
    migrate_scheme(study=desk.study, definition=definition, actor=OPERATOR)
    page = " ".join(markup(desk.client.get(desk.url())).split())
    assert '<dt>earlier: reasons</dt><dd class="kept">Half a thou</dd>' in page


def test_also_where_the_question_was_not_asked_in_between() -> None:
    desk = sit_down(open_study())
    desk.client.post(desk.url("draft"), OLD_FORM | desk.hidden())
    definition = preset("ebr") | {"examples": [], "rescale": []}
    of_aspects = definition["aspects"]
    choices = [{"key": key, "label": key} for key in ("short", "wrong")]
    again = {"key": "reasons", "kind": "several", "title": "Why?", "choices": choices}
    for aspects in (of_aspects[:3], [*of_aspects[:3], again]):
        study = Study.objects.get(pk=desk.study.pk)
        migrate_scheme(study=study, definition=definition | {"aspects": aspects}, actor=OPERATOR)
    page = " ".join(markup(desk.client.get(desk.url())).split())
    assert '<dt>earlier: reasons</dt><dd class="kept">Half a thou</dd>' in page


def test_what_has_no_field_any_more_stays_while_somebody_types_on_and_until_they_submit() -> None:
    desk = sit_down(open_study())
    desk.client.post(desk.url("draft"), OLD_FORM | desk.hidden())
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][2:] = [{"key": "sentences", "kind": "text", "title": "Why?"}]
    migrate_scheme(study=desk.study, definition=definition, renamings=["reasons = sentences"], actor=OPERATOR)
    desk.study = Study.objects.get(pk=desk.study.pk)
    (name, text), *others = re.findall(r'name="(kept-[^"]+)" value="([^"]*)"', markup(desk.client.get(desk.url())))
    assert (text, others) == ("3, x", [])
    form = {"aspect-correct": "yes", "aspect-sentences": "A whole thought.", name: text}
    saved = desk.client.post(desk.url("draft"), form | desk.hidden(version="2")).json()
    told = '<dt>earlier: sentences</dt><dd class="kept">3, x</dd>'
    assert told in " ".join(markup(desk.client.get(desk.url())).split())
    refused = desk.submit(form=form, version=saved["version"])
    assert refused.status_code == 422
    assert told in " ".join(markup(refused).split())
    assert name in markup(refused)
    assert desk.submit(form=form | {"aspect-completeness": "complete"}, version=saved["version"]).status_code == 302
    assert Annotation.objects.get(annotator=desk.annotator).values["sentences"] == "A whole thought."
    assert not Draft.objects.exists()


@pytest.mark.parametrize("name", ["kept-correct", "kept-", "kept-\x00", f"kept-{'x' * 81}"])
def test_a_form_carries_along_nothing_that_no_field_was_called(name: str) -> None:
    desk = sit_down(open_study())
    desk.client.post(desk.url("draft"), {"aspect-reasons": "Half a thou", name: "y\x00es"} | desk.hidden())
    assert Draft.objects.get().values == {"reasons": "Half a thou"}


def test_what_was_given_back_before_the_study_migrated_is_filled_in_under_the_new_keys() -> None:
    desk = sit_down(open_study(overlap=1))
    desk.submit(form=FORM | {"aspect-completeness": "complete"})
    assert return_assignment(assignment=desk.assignment, annotator=desk.annotator, actor=OPERATOR)
    migrate_scheme(study=desk.study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    again = claim_assignment(annotator=type(desk.annotator).objects.get(pk=desk.annotator.pk), actor=OPERATOR)
    assert again.pk == desk.assignment.pk
    page = " ".join(markup(desk.client.get(desk.url())).split())
    assert 'id="aspect-fullness-1" value="full" checked' in page
    assert "It leaves out sentence 4." in page


def test_figures_made_before_stay_marked_by_the_old_version(study: Study) -> None:
    snapshot = take_snapshot(study=study, resamples=10)
    migrate_scheme(study=study, definition=edited(), renamings=RENAMINGS, actor=OPERATOR)
    study.refresh_from_db()
    snapshot.refresh_from_db()
    assert snapshot.figures["scheme"] == "ebr v1"
    headline = headline_of(study)
    assert headline is not None
    assert headline.stale_because


@pytest.mark.parametrize(
    ("change", "renamings", "reason"),
    [
        (lambda data: None, [], "This is the version that the study has already."),
        (lambda data: data.update(key="other"), [], "The scheme's key is “other”"),
        (
            lambda data: data.update(shown=["article", "question", "choices", "answer"]),
            [],
            "does not have what the scheme shows",
        ),
        (lambda data: data.update(title="New"), ["complete = full"], "Some renamings make no sense."),
    ],
)
def test_what_cannot_be_migrated_is_refused_whole(study: Study, change: Any, renamings: list[str], reason: str) -> None:
    data = copy.deepcopy(preset("ebr"))
    change(data)
    before = rows()
    with pytest.raises(InvalidInputError) as caught:
        migrate_scheme(study=study, definition=data, renamings=renamings, actor=OPERATOR)
    assert reason in str(caught.value)
    assert rows() == before


def test_items_planned_for_single_answers_cannot_become_groups(study: Study) -> None:
    with pytest.raises(InvalidInputError, match="planned for the old version"):
        migrate_scheme(study=study, definition=read_scheme(GROUP) | {"key": "ebr"}, actor=OPERATOR)


def test_a_corpus_that_lacks_what_is_shown_is_an_error_of_its_own(study: Study) -> None:
    with pytest.raises(UnfitCorpusError):
        migrate_scheme(
            study=study,
            definition=preset("ebr") | {"shown": ["article", "question", "answer", "rationale"]},
            actor=OPERATOR,
        )


def test_shapes_of_all_items_are_those_of_each() -> None:
    study = open_study(corpus=make_corpus(articles=2))
    assert item_shapes(study) == {item.pk: item_shape(item) for item in study.items.all()}


# --- The command ------------------------------------------------------------------------------------------


def migrate(study: str, file: Path, *options: str) -> str:
    out = StringIO()
    call_command("migrate_scheme", study, str(file), *options, stdout=out)
    return out.getvalue()


def test_the_command_reports_then_migrates(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "ebr.yaml"
    file.write_text(yaml.safe_dump(edited(), allow_unicode=True))
    options = [part for renaming in RENAMINGS for part in ("--rename", renaming)]
    before = rows()
    printed = migrate(study.name, file, *options, "--dry-run")
    assert "completeness: renamed to fullness" in printed
    assert "completeness.missing_all: there is no such choice any more" in printed
    assert "12 of 18 judgments migrate" in printed
    assert "nothing was stored" in printed
    assert rows() == before
    printed = migrate(study.name, file, *options)
    assert f"“{study}” was judged under ebr v1 and is now under ebr v2." in printed
    assert Annotation.objects.current().filter(scheme_version__number=2).count() == 18


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    study = make_study()
    file = tmp_path / "ebr.yaml"
    with pytest.raises(CommandError, match="There is no study named “Nowhere”"):
        migrate("Nowhere", file)
    with pytest.raises(CommandError, match="cannot be read"):
        migrate(study.name, file)
    file.write_text("key: ebr\n")
    with pytest.raises(CommandError, match="line 1: title: is missing"):
        migrate(study.name, file)
    file.write_text(yaml.safe_dump(edited(key="other"), allow_unicode=True))
    with pytest.raises(CommandError, match="it stays “ebr”"):
        migrate(study.name, file)
