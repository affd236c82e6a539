"""What differs between two releases, by their own files: the same whatever became of the database meanwhile."""

import json
from copy import deepcopy
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation_platform.analysis.snapshots.stored import FIGURES
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.models import Question
from annotation_platform.jobs.contract import run_job
from annotation_platform.releases.freeze.changes import Changes, changes_in, compare
from annotation_platform.releases.freeze.comparing import jobs, page
from annotation_platform.releases.freeze.comparing.jobs import COMPARISONS, request_comparison
from annotation_platform.releases.freeze.rebuilding import rebuild
from annotation_platform.releases.freeze.services import withdraw_release
from annotation_platform.releases.models import Comparison, Release
from annotation_platform.scoring.models import ItemScore, Method
from annotation_platform.studies.models import Assignment, Item, Member, SetAside, Study
from annotation_platform.studies.services import exclude_member
from tests.analysis.study_rows import run_of, score
from tests.analysis.test_other_tasks import GROUPS
from tests.analysis.test_other_tasks import opinion as best_of_group
from tests.factories import OPERATOR, make_corpus, study_with_judgments
from tests.marked_study import mark, marked_study, opinion
from tests.releases.freeze.frozen import admin_of, frozen

pytestmark = [pytest.mark.django_db, pytest.mark.pages]


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(annotators=5)


def judged(study: Study, by: str = "") -> Any:
    found = Annotation.objects.closed().filter(item__study=study)
    return found.filter(annotator__pseudonym=by) if by else found


def changes_between(before: Release, after: Release) -> Changes:
    """As the worker finds it, unless the freeze did."""
    comparison = request_comparison(before, after)
    run_job(COMPARISONS, comparison.pk)
    comparison.refresh_from_db()
    found = changes_in(comparison)
    assert found is not None, comparison.error
    return found


def counted(changes: Changes) -> tuple[int, int, int]:
    return changes.added, changes.changed, changes.gone


def corrected(annotation: Annotation, **values: Any) -> None:
    """Another revision of the same judgment."""
    Annotation.objects.filter(pk=annotation.pk).update(is_current=False)
    annotation.pk, annotation.revision = None, annotation.revision + 1
    annotation.values, annotation.submission_id = annotation.values | values, None
    annotation.created_at += timedelta(hours=1)
    annotation.save(force_insert=True)


def test_nothing_differs_but_the_names(study: Study) -> None:
    changes = changes_between(frozen(study), frozen(study))
    assert counted(changes) == (0, 0, 0)
    assert changes.moved == ()
    assert not any(changes.gone_because.values())


def test_scores_of_items_are_told_beside_those_of_judgments(study: Study) -> None:
    frozen(study)
    run = run_of(study, Method.JUDGE)
    ItemScore.objects.create(run=run, item=study.items.earliest("pk"), aspect="completeness", label="complete")
    told = (frozen(study).folder / "CHANGES.md").read_text()
    assert "- 0 scores of judgments then, 0 now\n- 0 scores of items then, 1 now\n" in told


def test_who_was_excluded_is_gone_for_that_and_figures_move(study: Study) -> None:
    first, gone = frozen(study), judged(study, "A").count()
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    second = frozen(study)
    changes = changes_between(first, second)
    assert counted(changes) == (0, 0, gone)
    assert changes.gone_because == {"excluded": gone, "rejected": 0, "item": 0, "other": 0}
    alpha = next(each for each in changes.moved if each.figure == "Krippendorff α · raw")
    assert alpha.change == "moved"
    assert alpha.before_interval
    assert alpha.after_interval
    assert alpha.after_interval[0] <= (alpha.after or 0) <= alpha.after_interval[1]
    assert {"", alpha.aspect} <= {each.aspect for each in changes.moved}
    told = (second.folder / "CHANGES.md").read_text()
    assert first.digest in told
    assert f"0 added, 0 corrected, {gone} gone: {gone} of annotators who were excluded" in told
    assert f"- {alpha}\n" in told
    withdraw_release(release=first, because="Wrong.", actor=OPERATOR)
    assert not rebuild(second).different


def test_corrected_rejected_and_otherwise_gone_are_told_apart(study: Study) -> None:
    first = frozen(study)
    one, same, rejected, other = judged(study, "B").order_by("pk")[:4]
    corrected(one, reasons="I have read it again.")
    corrected(same)  # another revision that says the same
    Annotation.objects.filter(pk__in=[rejected.pk, other.pk]).update(is_current=False)
    SetAside.objects.create(
        assignment=Assignment.objects.get(pk=rejected.assignment_id), annotator=rejected.annotator, kind="rejected"
    )
    of_the_hit = Annotation.objects.filter(assignment=rejected.assignment_id, is_current=False, revision=1)
    left = of_the_hit.filter(pk__in=[rejected.pk, other.pk]).count()
    changes = changes_between(first, frozen(study))
    assert counted(changes) == (0, 1, 2)
    assert changes.gone_because == {"excluded": 0, "rejected": left, "item": 0, "other": 2 - left}
    back = compare(frozen(study), first, first.folder)  # and the other way round
    assert counted(back) == (2, 1, 0)


def test_what_only_has_other_keys_is_not_corrected(study: Study) -> None:
    first = frozen(study)
    corrected(judged(study, "B").earliest("pk"), reasons="I have read it again.")
    definition = preset("ebr") | {"examples": []}
    completeness = definition["aspects"][1]
    completeness["key"] = definition["rescale"][0]["aspect"] = "fullness"
    completeness["scale"]["choices"][0]["key"] = "full"
    renamings = ["completeness = fullness", "completeness.complete = full"]
    migrate_scheme(study=study, definition=definition, renamings=renamings, actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 1, 0)


def test_nor_is_it_where_the_study_went_back_and_on_since(study: Study) -> None:
    before, first = study.scheme_version.definition, frozen(study)
    definition = deepcopy(before) | {"examples": []}
    definition["aspects"][1]["key"] = definition["rescale"][0]["aspect"] = "fullness"
    further = deepcopy(before) | {"examples": []}
    further["aspects"][0]["key"] = "right"
    second = None
    for wanted, renaming in (
        (definition, "completeness = fullness"),
        (before, "fullness = completeness"),
        (further, "correct = right"),
    ):
        migrate_scheme(study=Study.objects.get(pk=study.pk), definition=wanted, renamings=[renaming], actor=OPERATOR)
        second = second or frozen(Study.objects.get(pk=study.pk))
    Comparison.objects.all().delete()  # it is asked for now
    assert counted(changes_between(first, second)) == (0, 0, 0)


def test_nor_are_marked_spans_whose_labels_only_have_other_keys(module_db: None) -> None:
    same_words = [mark("in June", "contradiction"), mark("in June", "unsupported", note='\\ \x0b " /é')]
    study = marked_study(values=lambda member, item: opinion(member, item) | {"errors": same_words})
    first = frozen(study)
    definition = preset("error_spans") | {"examples": []}
    definition["aspects"][0]["labels"][0]["key"] = "at_odds"  # sorted before the other one now
    renamings = ["errors.unsupported = at_odds"]
    migrate_scheme(study=study, definition=definition, renamings=renamings, actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 0, 0)


def test_nor_is_what_has_columns_of_its_own_or_choices_in_another_order(module_db: None) -> None:
    """Marked spans and several choices are counted, and choices stand in the order of the scheme."""
    definition = preset("error_spans") | {"examples": []}
    choices = [{"key": key, "label": {"en": key, "ja": key}} for key in ("short", "clear", "kind")]
    title = {"en": "Merits", "ja": "長所"}
    definition["aspects"].append({"key": "merits", "kind": "several", "title": title, "choices": choices})
    study = marked_study(
        definition=definition,
        values=lambda member, item: opinion(member, item) | {"merits": ["short", "kind"]},
    )
    first = frozen(study)
    definition = deepcopy(definition)
    definition["aspects"][0]["key"] = "faults"
    definition["aspects"][-1]["choices"].reverse()
    migrate_scheme(study=study, definition=definition, renamings=["errors = faults"], actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 0, 0)


def test_nor_is_what_says_the_same_by_a_choice_that_counts_otherwise(study: Study) -> None:
    first = frozen(study)
    definition = deepcopy(preset("ebr")) | {"examples": []}
    definition["aspects"][1]["scale"]["choices"][1]["number"] += 5
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 0, 0)


def test_nor_is_what_could_have_been_marked_only_since(module_db: None) -> None:
    definition = deepcopy(GROUPS)
    winner = next(each for each in definition["aspects"] if each["key"] == "winner")
    marks = {"forced_label": winner.pop("forced_label"), "tie_label": "A tie"}
    corpus = make_corpus(articles=2, sentences=0)
    Question.objects.filter(article__corpus=corpus).update(choices=["red", "green", "blue"])

    def values(member: Member, item: Item) -> dict[str, Any]:
        return {key: value for key, value in best_of_group(member, item).items() if key != "winner.forced"}

    study = study_with_judgments(corpus=corpus, definition=definition, values=values)
    first = frozen(study)
    definition = deepcopy(definition)
    next(each for each in definition["aspects"] if each["key"] == "winner").update(marks)
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 0, 0)


def test_nor_is_what_the_scheme_lost_an_aspect_or_a_choice_of(study: Study) -> None:
    first = frozen(study)
    corrected(judged(study, "B").filter(values__correct="yes").earliest("pk"), reasons="I have read it again.")
    definition = deepcopy(preset("ebr")) | {"examples": [], "rescale": []}
    definition["aspects"] = [each for each in definition["aspects"] if each["key"] != "sentences"]
    del definition["aspects"][1]["scale"]["choices"][0]
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 1, 0)


def test_nor_is_what_a_condition_of_the_scheme_hides_since(study: Study) -> None:
    first = frozen(study)
    definition = deepcopy(preset("ebr")) | {"examples": [], "rescale": []}
    reasons = next(each for each in definition["aspects"] if each["key"] == "reasons")
    reasons["shown_when"] = {"aspect": "correct", "is": "no"}
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    before = judged(study, "B").filter(values__correct="yes")
    assert "reasons" not in before.earliest("pk").values
    corrected(before.earliest("pk"), completeness="missing_all")
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 1, 0)


def test_nor_are_several_choices_or_marked_spans_of_which_the_scheme_lost_one(module_db: None) -> None:
    definition = preset("error_spans") | {"examples": []}
    choices = [{"key": key, "label": {"en": key, "ja": key}} for key in ("short", "clear", "kind")]
    title = {"en": "Merits", "ja": "長所"}
    definition["aspects"].append({"key": "merits", "kind": "several", "title": title, "choices": choices})
    study = marked_study(
        definition=definition,
        values=lambda member, item: opinion(member, item) | {"merits": ["short", "kind"]},
    )
    first = frozen(study)
    definition = deepcopy(definition)
    del definition["aspects"][0]["labels"][0], definition["aspects"][-1]["choices"][0]
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    assert counted(changes_between(first, frozen(Study.objects.get(pk=study.pk)))) == (0, 0, 0)


def test_items_come_and_figures_are_new_or_gone(study: Study) -> None:
    first = frozen(study)
    run = score(study)
    second = frozen(study)
    new = [each for each in changes_between(first, second).moved if each.change == "new"]
    assert [each for each in new if each.figure.startswith("Mean score of label") and each.after_interval]
    assert "Mean score of label" in (second.folder / "CHANGES.md").read_text()
    run.delete()
    gone = [each for each in changes_between(second, frozen(study)).moved if each.change == "gone"]
    assert {each.figure for each in new} == {each.figure for each in gone}
    assert all(each.after is None for each in gone)


def test_figures_in_different_forms_are_not_compared_and_named(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    first = frozen(study)
    alpha = FIGURES["krippendorff_alpha"]
    monkeypatch.setitem(FIGURES, alpha.key, replace(alpha, version=alpha.version + 1))
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    second = frozen(study)
    changes = changes_between(first, second)
    assert changes.not_compared == ("Krippendorff α",)
    assert not [each for each in changes.moved if each.figure.startswith("Krippendorff")]
    assert changes.moved, "the others"
    told = (second.folder / "CHANGES.md").read_text()
    assert told.endswith("\nNot compared, stored in another form: Krippendorff α.\n")


def test_items_that_are_gone(module_db: None) -> None:
    study = study_with_judgments(annotators=5, corpus=make_corpus(articles=3))
    first = frozen(study)
    batch = study.batches.first()
    item = study.items.filter(hit__batch=batch).first()
    theirs = judged(study).filter(item=item).count()
    Annotation.every.filter(item=item).update(is_current=False)
    type(item).objects.filter(pk=item.pk).update(is_check=True)
    changes = changes_between(first, frozen(study))
    assert changes.gone_because == {"excluded": 0, "rejected": 0, "item": theirs, "other": 0}
    assert (changes.items_added, changes.items_gone) == (0, 1)


def test_it_is_the_same_when_the_database_has_changed_since(study: Study) -> None:
    first = frozen(study)
    corrected(judged(study, "B").first(), reasons="Otherwise.")
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    second = frozen(study)
    then = changes_between(first, second)
    Comparison.objects.all().delete()
    exclude_member(member=study.members.get(pseudonym="C"), because="Copied", actor=OPERATOR)
    study.members.filter(pseudonym="A").update(excluded_at=None)
    Annotation.objects.filter(item__study=study, annotator__pseudonym="B").update(is_current=False)
    assert changes_between(first, second) == then
    assert changes_between(first, second) == then  # as it was kept
    assert Comparison.objects.count() == 1


def test_no_figure_of_a_single_annotator_is_compared(study: Study) -> None:
    score(study)
    first = frozen(study)
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    second = frozen(study)
    assert "annotator-0" in (second.folder / "figures.json").read_text()
    assert "annotator-0" not in (second.folder / "CHANGES.md").read_text()
    assert not [each for each in changes_between(first, second).moved if "annotator-0" in each.figure]


@pytest.fixture
def apart(study: Study, client: Client) -> tuple[Release, Release]:
    """Two releases that the freeze has not compared, an annotator less in the later one; and an admin looks at them."""
    first, _, last = frozen(study), frozen(study), excluded_then_frozen(study)
    client.force_login(admin_of(study).user)
    return first, last


def excluded_then_frozen(study: Study) -> Release:
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    return frozen(study)


def test_the_page_says_that_two_are_being_compared_and_then_what_was_found(
    apart: tuple[Release, Release], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Comparison] = []
    monkeypatch.setattr(page, "enqueue", asked.append)
    address = reverse("release_changes", args=[apart[1].study.slug, 3])
    for _ in range(2):
        said = client.get(address, {"with": 1}).content.decode()
        assert "are being compared" in said
        assert f'hx-get="{address}?with=1"' in said
    waiting = client.get(address, {"with": 1}, headers={"HX-Request": "true"}).content.decode()
    assert "are being compared" in waiting
    assert "<html" not in waiting
    assert len(asked) == 2  # who looks how it stands asks for nothing
    (pk,) = {each.pk for each in asked}
    run_job(COMPARISONS, pk)
    assert run_job(COMPARISONS, pk) is None
    monkeypatch.setattr(jobs, "compare", None)  # nothing is compared again
    found = client.get(address, {"with": 1}, headers={"HX-Request": "true"}).content.decode()
    assert "Their annotator was excluded" in found
    assert "hx-get" not in found
    assert "Their annotator was excluded" in client.get(address, {"with": 1}).content.decode()
    back = client.get(reverse("release_changes", args=[apart[1].study.slug, 1]), {"with": 3}).content.decode()
    assert "Their annotator was excluded" in back
    assert Comparison.objects.filter(before=apart[0], after=apart[1]).count() == 1


def test_a_comparison_that_failed_says_why_and_begins_anew_when_somebody_opens_the_page(
    apart: tuple[Release, Release], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "enqueue", lambda job: None)
    monkeypatch.setattr(jobs, "compare", lambda *_: (_ for _ in ()).throw(OSError("no space")))
    comparison = run_job(COMPARISONS, request_comparison(*apart).pk)
    assert comparison is not None
    assert isinstance(comparison.error, Reason)
    address = reverse("release_changes", args=[apart[1].study.slug, 3])
    told = client.get(address, {"with": 1}, headers={"HX-Request": "true"}).content.decode()
    assert "no space" in told
    assert "hx-get" not in told
    assert "are being compared" in client.get(address, {"with": 1}).content.decode()
    monkeypatch.undo()
    assert counted(changes_between(*apart))[2] > 0


def test_what_another_version_found_is_found_anew(apart: tuple[Release, Release]) -> None:
    then = changes_between(*apart)
    Comparison.objects.update(code_version="0.0.1", found={})
    assert changes_between(*apart) == then


def test_who_opens_what_was_compared_writes_nothing(apart: tuple[Release, Release], client: Client) -> None:
    changes_between(*apart)
    slug = apart[1].study.slug
    with CaptureQueriesContext(connection) as asked:
        client.get(reverse("release", args=[slug, 3]))
        client.get(reverse("release_changes", args=[slug, 3]), {"with": 1})
        client.get(reverse("api_release_changes", args=[slug, 3]), {"with": 1})
    assert "releases_comparison" in str(asked.captured_queries)
    reading = ("SELECT", "DECLARE")  # as on PostgreSQL, where many rows are read by a cursor
    assert [each["sql"] for each in asked if not each["sql"].startswith(reading)] == []


@pytest.mark.parametrize("name", ["release_changes", "api_release_changes"])
def test_no_release_is_compared_with_itself(apart: tuple[Release, Release], client: Client, name: str) -> None:
    told = client.get(reverse(name, args=[apart[1].study.slug, 3]), {"with": 3})
    assert told.status_code == 404
    assert "There is no other release to compare release 3 with." in told.content.decode()
    assert not Comparison.objects.filter(before=apart[1], after=apart[1]).exists()


def test_one_that_is_not_there_is_named_as_it_was_asked_for(apart: tuple[Release, Release], client: Client) -> None:
    slug = apart[1].study.slug
    for address in (reverse(name, args=[slug, 3]) for name in ("release_changes", "api_release_changes")):
        for named in ("9", "abc", "9" * 5_000):
            reply = client.get(address, {"with": named})
            assert reply.status_code == 404
            assert f"This study has no release {named[:30]}" in reply.content.decode()
    assert not Comparison.objects.filter(before=apart[0], after=apart[1]).exists()


def test_programs_wait_for_its_job(
    apart: tuple[Release, Release], client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    address = reverse("api_release_changes", args=[apart[1].study.slug, 3]) + "?with=1"
    with django_capture_on_commit_callbacks():
        reply = client.get(address)
    assert reply.status_code == 202
    job = client.get(reply["Location"]).json()
    assert (job["kind"], job["state"], job["result"]) == ("comparison", "pending", None)
    run_job(COMPARISONS, Comparison.objects.get(before=apart[0], after=apart[1]).pk)
    done = client.get(reply["Location"]).json()
    assert done["resource"] == done["result"]
    told = client.get(done["result"]).json()
    assert (told["before"], told["after"]) == (1, 3)
    assert told["gone_because"]["excluded"] == told["gone"] > 0


def test_page_and_api_say_the_same(study: Study, client: Client) -> None:
    frozen(study)
    score(study)
    exclude_member(member=study.members.get(pseudonym="A"), because="Copied", actor=OPERATOR)
    second = frozen(study)
    found = changes_between(Release.objects.get(number=1), second)
    client.force_login(admin_of(study).user)
    told = json.loads(client.get(reverse("api_release_changes", args=[study.slug, 2])).content)
    assert {key: told[key] for key in ("added", "changed", "gone", "gone_because", "items_added", "items_gone")} == {
        "added": 0,
        "changed": 0,
        "gone": found.gone,
        "gone_because": found.gone_because,
        "items_added": 0,
        "items_gone": 0,
    }
    assert [(each["figure"], each["change"], each["after"]) for each in told["moved"]] == [
        (each.figure, each.change, each.after) for each in found.moved
    ]
    page = client.get(reverse("release", args=[study.slug, 2])).content.decode()
    assert "Their annotator was excluded" in page
    assert "not there" in page
