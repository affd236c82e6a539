"""Carrying judgments over lets others work meanwhile, shows nothing before all is there, and survives a kill."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation_platform.annotations import carrying
from annotation_platform.annotations.adoption import Adoption, adopt_scheme
from annotation_platform.annotations.models import Annotation, Draft, Rating
from annotation_platform.annotations.services import SchemeChangedError, save_draft
from annotation_platform.annotations.taking import take_task
from annotation_platform.core.schemes.writing import write_scheme
from annotation_platform.releases.selectors.query import count_rows
from annotation_platform.studies.models import Assignment, Study
from tests.annotations.test_adoption import RENAMINGS, edited
from tests.factories import MemberFactory, make_corpus, study_with_judgments, submit
from tests.releases.rows import exported
from tests.studies.pieces import after_each_piece, gone_after, somebody_else

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("many connections"),
]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying, "JUDGMENTS_AT_ONCE", 4)


@pytest.fixture
def study() -> Study:
    """18 judgments by A and B, in open batches that a third can judge."""

    def values(member: Any, item: Any) -> dict[str, Any]:
        return {"completeness": "complete", "reasons": f"{member} on {item.pk}"}

    texts = make_corpus(questions=9, systems=("alder",))
    study = study_with_judgments(annotators=2, corpus=texts, values=values, close=False, questions_per_hit=9)
    Assignment.objects.create(hit=study.batches.get().hits.get(), place=3)
    return study


def adopt(study: Study) -> Adoption:
    return adopt_scheme(study=study, definition=edited(), renamings=RENAMINGS)


def place_of(study: Study, pseudonym: str) -> Assignment:
    return Assignment.objects.get(hit__batch__study=study, annotator__pseudonym=pseudonym)


def under(number: int) -> int:
    return Annotation.objects.current().filter(scheme_version__number=number).count()


def test_people_judge_and_change_their_minds_at_every_step(study: Study) -> None:
    first = place_of(study, "A")
    items = list(first.hit.items.all())
    third = take_task(annotator=MemberFactory(study=study, pseudonym="C"))
    todo = iter(items)
    seen: list[tuple[int, int]] = []

    def work() -> None:
        seen.append((under(1), under(2)))
        if not seen[-1][1] and (item := next(todo, None)):
            submit(first, item, completeness="missing_minor", reasons=f"Changed {item.position}")
            submit(third, item, completeness="missing_all", reasons=f"New {item.position}")

    with after_each_piece(somebody_else(work)) as pieces:
        adoption = adopt(study)
    assert len(pieces) >= 7
    assert [new for _, new in seen] == [0] * (len(pieces) - 1) + [seen[-1][1]]  # nothing before the last step
    changed = 9 - len(list(todo))
    assert changed >= 5
    assert adoption.judgments == 18 + changed == under(2)
    assert (adoption.whole, adoption.partly) == (18, changed)
    assert adoption.lost == {"completeness: there is no choice 'missing_all' any more": changed}
    of_first = Annotation.objects.current().filter(assignment=first).order_by("item__position")
    said = [(each.values["fullness"], each.values["reasons"]) for each in of_first]
    assert said[:changed] == [("missing_minor", f"Changed {n}") for n in range(1, changed + 1)]
    assert {label for label, _ in said[changed:]} <= {"full"}
    assert [each.revision for each in of_first] == [3] * changed + [2] * (9 - changed)
    assert not Annotation.every.filter(revision=0).exists()
    assert Rating.objects.filter(annotation__is_current=True, aspect="completeness").count() == 0
    study.refresh_from_db()
    assert study.scheme_version.number == 2
    assert study.adopting_at is None


def test_what_a_killed_adoption_left_is_seen_by_nobody_and_in_nobodys_way(
    study: Study, settings: Any, tmp_path: Path
) -> None:
    rows = count_rows(study, all_batches=True, all_revisions=True)
    with gone_after(5):
        adopt(study)
    assert Annotation.every.filter(revision=0).exists()
    assert under(1) == 18
    study.refresh_from_db()
    assert study.scheme_version.number == 1
    assert len(exported(study, tmp_path, all_batches=True, all_revisions=True)) == rows
    assert count_rows(study, all_batches=True, all_revisions=True) == rows

    first = place_of(study, "A")
    for item in first.hit.items.all():
        submit(first, item, reasons=f"Changed {item.position}")
    assert under(1) == 18
    with pytest.raises(carrying.AdoptionUnderWayError, match="Wait until that is finished"):
        adopt(study)

    settings.RUN_STALE_AFTER_SECONDS = 0
    adoption = adopt(study)
    assert adoption.judgments == under(2) == 18
    assert not Annotation.every.filter(revision=0).exists()
    of_first = Annotation.objects.current().filter(assignment=first)
    assert sorted(each.values["reasons"] for each in of_first) == [f"Changed {n}" for n in range(1, 10)]


def test_the_sweep_clears_what_a_killed_adoption_left(study: Study, settings: Any) -> None:
    with gone_after(5):
        adopt(study)
    carrying.clear_left_behind()
    assert Annotation.every.filter(revision=0).exists()  # it may still be alive
    settings.RUN_STALE_AFTER_SECONDS = 0
    carrying.clear_left_behind()
    assert not Annotation.every.filter(revision=0).exists()
    study.refresh_from_db()
    assert study.adopting_at is None
    assert under(1) == 18


def test_an_adoption_that_fails_on_the_way_leaves_nothing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(Annotation.every.order_by("pk").values())

    def fails(*_: Any) -> int:
        raise RuntimeError

    monkeypatch.setattr(carrying, "_carry_drafts", fails)
    with pytest.raises(RuntimeError):
        adopt(study)
    assert list(Annotation.every.order_by("pk").values()) == before
    study.refresh_from_db()
    assert (study.scheme_version.number, study.adopting_at) == (1, None)


def test_a_draft_typed_meanwhile_is_kept_and_its_form_is_told(study: Study) -> None:
    third = MemberFactory(study=study, pseudonym="C")
    place = take_task(annotator=third)
    item = place.hit.items.first()
    assert item is not None
    versions = iter(range(100))

    def type_on() -> None:
        if not under(2):
            typed = {"completeness": "complete", "reasons": f"Half a thought {len(seen)}"}
            save_draft(annotator=third, item=item, values=typed, seconds=1, version=next(versions))
            seen.append(1)

    seen: list[int] = []
    with after_each_piece(somebody_else(type_on)):
        adopt(study)
    draft = Draft.objects.get()
    assert draft.values == {"fullness": "full", "reasons": f"Half a thought {len(seen) - 1}"}
    item.study = study  # as it was when the page was loaded
    with pytest.raises(SchemeChangedError):
        submit(place, item)


def test_the_command_says_that_another_adoption_is_under_way(study: Study, tmp_path: Any) -> None:
    with gone_after(3):
        adopt(study)
    file = tmp_path / "edited.yaml"
    file.write_text(write_scheme(edited()))
    with pytest.raises(CommandError, match="is being adopted"):
        call_command("migrate_scheme", study.name, str(file), rename=RENAMINGS)
