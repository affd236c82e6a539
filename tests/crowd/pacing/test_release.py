"""Batches that are released by the clock, through the gates, or by a person."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.models import Event
from annotation_platform.analysis.snapshots.stored import latest_snapshot
from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.errors import ConflictError, InvalidInputError
from annotation_platform.core.schemes import preset
from annotation_platform.crowd.pacing import gates
from annotation_platform.crowd.pacing.gates import GateFigure, Unit, Verdict
from annotation_platform.crowd.pacing.models import BatchRelease, Bound, Pacing
from annotation_platform.crowd.pacing.services import pacing_of, release_due, release_now, set_pacing
from annotation_platform.crowd.pay.services import set_terms
from annotation_platform.studies.models import BatchState, Member, Role, Study
from annotation_platform.studies.services import archive_study, plan_batches
from tests.factories import OPERATOR, MemberFactory, make_corpus, make_study, study_with_judgments
from tests.markup import markup
from workers.tasks import take_snapshot

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
SWEEP = Actor.worker("sweep")


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    study = make_study(corpus=make_corpus(articles=2, questions=2), questions_per_hit=1, hits_per_batch=2)
    plan_batches(study=study)
    return study


@pytest.fixture
def researcher(study: Study) -> Member:
    member: Member = MemberFactory(study=study, role=Role.RESEARCHER)
    return member


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> dict[str, float | None]:
    """A gate whose figure the test decides."""
    figure: dict[str, float | None] = {"value": 0.2, "low": 0.1, "high": 0.5}

    def gate(study: Study) -> list[GateFigure]:
        return [GateFigure("made", "Made figure", rests_on="10 judgments", **figure)]

    monkeypatch.setattr(gates, "GATES", (gate,))
    return figure


def pace(study: Study, **fields: Any) -> Pacing:
    values = {"is_on": True, "batches_at_once": 1, "every_hours": 24, "limits": {}, "actor": OPERATOR}
    return set_pacing(study=study, **{**values, **fields})


def opened(study: Study) -> list[int]:
    return list(study.batches.filter(state=BatchState.OPEN).order_by("number").values_list("number", flat=True))


def hours_pass(study: Study, hours: int) -> None:
    pacing = Pacing.objects.get(study=study)
    assert pacing.next_at is not None
    Pacing.objects.filter(pk=pacing.pk).update(next_at=pacing.next_at - timedelta(hours=hours), looked_at=None)


def test_the_first_batch_comes_at_once_and_the_next_when_its_time_has_come(study: Study) -> None:
    pace(study)
    release_due(actor=SWEEP)
    release_due(actor=SWEEP)
    assert opened(study) == [1]
    hours_pass(study, 23)
    release_due(actor=SWEEP)
    assert opened(study) == [1]
    hours_pass(study, 1)
    release_due(actor=SWEEP)
    assert opened(study) == [1, 2]
    assert [each.batches for each in BatchRelease.objects.all()] == [[2], [1]]


def test_several_at_a_time_until_none_is_left(study: Study) -> None:
    pace(study, batches_at_once=4)
    release_due(actor=SWEEP)
    assert opened(study) == [1, 2, 3, 4]
    hours_pass(study, 24)
    release_due(actor=SWEEP)
    assert opened(study) == [1, 2, 3, 4, 5, 6]
    hours_pass(study, 24)
    assert release_due(actor=SWEEP) == []
    assert BatchRelease.objects.count() == 2


def test_a_worker_that_was_away_for_days_makes_no_burst(study: Study) -> None:
    pace(study)
    release_due(actor=SWEEP)
    hours_pass(study, 24 * 5)
    for _ in range(3):
        release_due(actor=SWEEP)
    assert opened(study) == [1, 2]


def test_what_is_off_or_archived_releases_nothing(study: Study) -> None:
    pace(study, is_on=False)
    release_due(actor=SWEEP)
    pace(study)
    archive_study(study=study, actor=OPERATOR)
    release_due(actor=SWEEP)
    assert opened(study) == []


@pytest.mark.usefixtures("held")
def test_a_study_that_is_being_deleted_keeps_others_from_nothing(study: Study) -> None:
    pace(study, limits={"made": 0.4})
    Study.objects.filter(pk=study.pk).update(arriving_at=timezone.now())
    assert release_due(actor=SWEEP) == []
    assert pacing_of(study).held_since is None


def test_who_changes_the_pace_does_not_release_at_once_again(study: Study) -> None:
    pace(study)
    release_due(actor=SWEEP)
    changed = pace(study, every_hours=12)
    last = BatchRelease.objects.get().released_at
    assert changed.next_at == last + timedelta(hours=12)


def test_a_killed_worker_has_done_nothing(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    pace(study, batches_at_once=2)

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("annotation_platform.crowd.pacing.services.record", killed)
        with pytest.raises(KeyboardInterrupt):
            release_due(actor=SWEEP)
    assert opened(study) == []
    release_due(actor=SWEEP)
    assert opened(study) == [1, 2]


def test_a_figure_outside_its_limit_holds_the_next_batch_back_and_says_why(
    study: Study, held: dict[str, float | None]
) -> None:
    pace(study, limits={"made": 0.4})
    release_due(actor=SWEEP)
    assert opened(study) == []
    pacing = pacing_of(study)
    assert pacing.held_since is not None
    assert [str(each) for each in pacing.held_because] == ["Made figure is 0.20; at least 0.40 is wanted."]
    Pacing.objects.update(looked_at=None)
    release_due(actor=SWEEP)
    assert Event.objects.filter(verb="batch.held_back").count() == 1
    held["value"] = 0.4
    release_due(actor=SWEEP)
    assert opened(study) == []  # it looks again after a minute
    Pacing.objects.update(looked_at=timezone.now() - timedelta(minutes=2))
    release_due(actor=SWEEP)
    assert opened(study) == [1]
    assert pacing_of(study).held_because == []


@pytest.mark.parametrize(("bound", "holds"), [(Bound.VALUE, True), (Bound.LOW, True), (Bound.HIGH, False)])
def test_the_study_says_which_end_of_the_interval_counts(
    study: Study, held: dict[str, float | None], bound: Bound, holds: bool
) -> None:
    pace(study, limits={"made": 0.4}, bound=bound)
    release_due(actor=SWEEP)
    assert opened(study) == ([] if holds else [1])


def test_a_most_holds_back_what_is_above_and_nothing_what_is_not_measured() -> None:
    most = GateFigure("spent", "Spent", 90.0, "", is_least=False)
    assert Verdict(most, 80, most.at(Bound.VALUE)).holds_back
    assert not Verdict(most, 90, most.at(Bound.VALUE)).holds_back
    unknown = GateFigure("alpha", "α", None, "")
    assert not Verdict(unknown, 0.4, unknown.at(Bound.LOW)).holds_back


def test_agreement_is_that_of_the_last_snapshot() -> None:
    study = study_with_judgments()
    take_snapshot(study, actor=OPERATOR)
    assert latest_snapshot(study) is not None
    (reading, *_) = [each for each in gates.agreement(study) if each.key == "agreement.completeness"]
    assert reading.value is not None
    assert "judgments of" in reading.rests_on
    assert reading.low is None or reading.high is None or reading.low <= reading.value <= reading.high


def test_of_a_single_item_it_says_one() -> None:
    study = study_with_judgments(annotators=2, corpus=make_corpus(articles=1, questions=1, systems=("alder",)))
    take_snapshot(study, actor=OPERATOR)
    (reading, *_) = [each for each in gates.agreement(study) if each.key == "agreement.completeness"]
    assert reading.rests_on == "2 judgments of 1 item"


def test_a_person_releases_in_spite_of_the_clock_and_the_gates_with_a_reason(
    study: Study, researcher: Member, held: dict[str, float | None]
) -> None:
    pace(study, limits={"made": 0.4})
    with pytest.raises(InvalidInputError):
        release_now(study=study, member=researcher, because=" ", after=0, actor=OPERATOR)
    release_now(study=study, member=researcher, because="The pilot is over.", after=0, actor=OPERATOR)
    assert opened(study) == [1]
    release = BatchRelease.objects.get()
    assert (release.released_by, release.because) == (researcher, "The pilot is over.")
    assert "at least 0.40 is wanted" in str(release.held_because[0])
    assert Event.objects.get(verb="batch.released").change["because"][1] == "The pilot is over."
    with pytest.raises(ConflictError):
        release_now(study=study, member=researcher, because="Once more", after=0, actor=OPERATOR)
    assert opened(study) == [1]


def test_impossible_paces_are_refused(study: Study) -> None:
    for wrong in ({"batches_at_once": 0}, {"every_hours": 0}, {"batches_at_once": 101}, {"bound": "no"}):
        with pytest.raises(InvalidInputError):
            pace(study, **wrong)


# --- The page --------------------------------------------------------------------------------------------------------


def client_of(member: Member) -> Client:
    client = Client()
    client.force_login(member.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def address(study: Study) -> str:
    return reverse("crowd_release", args=[study.slug])


def test_a_researcher_sets_the_pace_and_reads_what_comes_next(
    study: Study, researcher: Member, held: dict[str, float | None]
) -> None:
    client = client_of(researcher)
    sent = {
        "step": "pacing",
        "is_on": "on",
        "batches_at_once": 2,
        "every_hours": 12,
        "bound": "high",
        "limit-made": "0,4",
    }
    assert client.post(address(study), sent).status_code == 302
    pacing = pacing_of(study)
    assert (pacing.batches_at_once, pacing.every_hours, pacing.bound) == (2, 12, "high")
    assert pacing.limits == {"made": 0.4}
    page = markup(client.get(address(study)))
    assert "Batch 1, 2" in page
    assert "passes" in page


def test_a_limit_in_money_is_read_as_money_everywhere_and_comes_back_whole(study: Study, researcher: Member) -> None:
    set_terms(study=study, currency="JPY", reward=200, budget=2_000_000, actor=OPERATOR)
    client = client_of(researcher)
    sent = {"step": "pacing", "batches_at_once": 1, "every_hours": 24, "bound": "value"}
    assert client.post(address(study), sent | {"limit-pay.budget": "1,234,567"}).status_code == 302
    assert pacing_of(study).limits == {"pay.budget": 1_234_567}
    assert 'name="limit-pay.budget" value="1234567"' in markup(client.get(address(study)))
    response = client.post(address(study), sent | {"limit-pay.budget": "12,50"})
    assert response.status_code == 422
    assert "“12,50” is no amount." in markup(response)


@pytest.mark.usefixtures("held")
def test_a_limit_whose_comma_can_be_read_in_two_ways_is_asked_about(study: Study, researcher: Member) -> None:
    client = client_of(researcher)
    sent = {"step": "pacing", "batches_at_once": 1, "every_hours": 24, "bound": "value"}
    response = client.post(address(study), sent | {"limit-made": "1,500"})
    assert response.status_code == 422
    assert "The limit of “Made figure” is “1,500”" in markup(response)
    assert client.post(address(study), sent | {"limit-made": "0,667"}).status_code == 302
    assert pacing_of(study).limits == {"made": 0.667}


def test_a_batch_that_waits_is_told_on_the_page_and_at_home(
    study: Study, researcher: Member, held: dict[str, float | None]
) -> None:
    pace(study, limits={"made": 0.4})
    release_due(actor=SWEEP)
    client = client_of(researcher)
    for page in (address(study), reverse("study", args=[study.slug])):
        assert "Made figure is 0.20; at least 0.40 is wanted." in markup(client.get(page))


@pytest.mark.usefixtures("held")
def test_what_cannot_be_used_comes_back_as_it_was_typed(study: Study, researcher: Member) -> None:
    client = client_of(researcher)
    sent = {"step": "pacing", "batches_at_once": "many", "every_hours": 7, "bound": "value", "limit-made": "much"}
    response = client.post(address(study), sent)
    assert response.status_code == 422
    page = markup(response)
    assert 'value="many"' in page
    assert 'value="much"' in page
    assert not Pacing.objects.exists()


def test_a_person_releases_on_the_page_and_two_at_once_do_it_once(study: Study, researcher: Member) -> None:
    client = client_of(researcher)
    sent = {"step": "now", "after": 0, "because": "Go"}
    assert client.post(address(study), sent).status_code == 302
    assert client.post(address(study), sent).status_code == 422
    assert opened(study) == [1]
    assert "“Go”" in markup(client.get(address(study)))


def test_more_time_is_set_here(study: Study, researcher: Member) -> None:
    client = client_of(researcher)
    sent = {"step": "extensions", "most_extensions": 3, "extension_percent": 20}
    assert client.post(address(study), sent).status_code == 302
    study.refresh_from_db()
    assert (study.most_extensions, study.extension_percent) == (3, 20)
    sent["extension_percent"] = 0
    assert client.post(address(study), sent).status_code == 422


@pytest.mark.parametrize("role", [Role.ANNOTATOR, None])
def test_nobody_else_enters(study: Study, role: Role | None) -> None:
    outsider = MemberFactory(study=study, role=role) if role else MemberFactory(role=Role.ADMIN, study=make_study())
    client = client_of(outsider)
    assert client.get(address(study)).status_code == 404
    assert client.post(address(study), {"step": "now", "after": 0, "because": "Go"}).status_code == 404
    assert Client().get(address(study)).status_code == 302
    assert opened(study) == []


@pytest.mark.parametrize(
    ("figure", "limit", "told"),
    [
        (GateFigure("made", "α", 0.796, ""), 0.8, "α is 0.796; at least 0.800 is wanted."),
        (GateFigure("made", "Checks", 0.896, "", unit=Unit.PERCENT), 0.9, "Checks is 89.6%; at least 90.0% is wanted."),
        (GateFigure("made", "Checks", 0.8, "", unit=Unit.PERCENT), 0.925, "Checks is 80.0%; at least 92.5% is wanted."),
        (
            GateFigure("made", "Pay", 1499.0, "", unit=Unit.MONEY, currency="JPY"),
            1500,
            "Pay is 1499; at least 1500 is wanted.",
        ),
        (
            GateFigure("made", "Pay", 1.234, "", unit=Unit.MONEY, currency="KWD"),
            1.25,
            "Pay is 1.234; at least 1.250 is wanted.",
        ),
        (GateFigure("made", "α", 0.2, ""), 0.4, "α is 0.20; at least 0.40 is wanted."),
        (GateFigure("made", "α", -0.001, ""), 0, "α is -0.001; at least 0.000 is wanted."),
    ],
)
def test_a_figure_is_told_with_the_digits_that_set_it_apart_from_its_limit(
    figure: GateFigure, limit: float, told: str
) -> None:
    assert str(Verdict(figure, limit, figure.value).reason) == told


def test_what_has_closed_since_agreement_was_measured_holds_back_until_it_is_measured() -> None:
    study = study_with_judgments()
    reading = next(each for each in gates.agreement(study) if each.key == "agreement.completeness")
    assert reading.is_behind, "a batch has closed, and nothing was measured"
    verdict = Verdict(reading, 0.0, None)
    assert verdict.holds_back
    assert verdict.reason.code == "crowd.measured_before"
    assert not Verdict(reading, None, None).holds_back, "without a limit it does not matter"
    take_snapshot(study, actor=OPERATOR)
    assert not any(each.is_behind for each in gates.agreement(study))
    study.batches.filter(closed_at__isnull=False).update(closed_at=timezone.now())
    assert all(each.is_behind for each in gates.agreement(study))


def test_before_the_first_batch_closes_there_is_nothing_to_measure() -> None:
    assert not any(each.is_behind for each in gates.agreement(make_study(name="Jays")))


def test_limits_on_agreement_migrate_and_those_of_aspects_that_are_gone_are_told(
    study: Study, researcher: Member, client: Client
) -> None:
    pace(study, limits={"agreement.correct": 0.6, "agreement.completeness": 0.5, "attention": 0.9})
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][0]["key"] = "is_right"
    definition["aspects"].pop(1)
    migrate_scheme(study=study, definition=definition, renamings=["correct = is_right"], actor=OPERATOR)
    limits = {"agreement.is_right": 0.6, "agreement.completeness": 0.5, "attention": 0.9}
    assert pacing_of(study).limits == limits
    client.force_login(researcher.user)
    assert "on agreement on completeness holds nothing back" in markup(
        client.get(reverse("crowd_release", args=[study.slug]))
    )
    assert pace(Study.objects.get(pk=study.pk), limits=limits).limits == {"agreement.is_right": 0.6, "attention": 0.9}


def test_a_page_from_before_a_migration_limits_no_aspect_that_is_gone(study: Study) -> None:
    before = Study.objects.select_related("scheme_version").get(pk=study.pk)
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"].pop(1)
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    found = pace(before, limits={"agreement.completeness": 0.5, "agreement.correct": 0.6})
    assert found.limits == {"agreement.correct": 0.6}


def test_a_form_of_an_earlier_scheme_takes_no_limit_away(study: Study, researcher: Member) -> None:
    pace(study, limits={"agreement.completeness": 0.5})
    client = client_of(researcher)
    made_under = study.scheme_version.signature
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][1]["key"] = "fullness"
    migrate_scheme(study=study, definition=definition, renamings=["completeness = fullness"], actor=OPERATOR)
    sent = {"step": "pacing", "is_on": "on", "batches_at_once": 2, "every_hours": 24, "bound": "value"}
    sent |= {"scheme": made_under, "limit-agreement.completeness": "0.5", "limit-agreement.correct": "0.9"}
    response = client.post(address(study), sent)
    assert response.status_code == 422
    assert pacing_of(study).limits == {"agreement.fullness": 0.5}
    page = markup(response)
    assert "The study has another version of its scheme since you opened the page." in page
    assert 'name="batches_at_once" type="number" min="1" max="100" required value="2"' in page
    assert 'name="limit-agreement.fullness" value="0.5"' in page
    assert 'name="limit-agreement.correct" value=""' in page
    assert Study.objects.get(pk=study.pk).scheme_version.signature in page


def test_a_limit_holds_no_other_aspect_that_has_its_key_now(study: Study) -> None:
    pace(study, limits={"agreement.completeness": 0.5})
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][0]["key"] = "completeness"
    definition["aspects"].pop(1)
    migrate_scheme(study=study, definition=definition, renamings=["correct = completeness"], actor=OPERATOR)
    assert pacing_of(study).limits == {}
