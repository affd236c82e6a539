"""The monitor's table, one annotator, what can be done from there, and who may."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.annotations.models import Annotation, Hint
from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import preset
from annotation_platform.crowd.adjudication.services import adjudicate
from annotation_platform.crowd.monitor.jobs import MONITORS, find_watched
from annotation_platform.crowd.monitor.measuring import measure
from annotation_platform.crowd.monitor.models import AnnotatorFigures, MonitorJob, Paste, Sign, Watch
from annotation_platform.crowd.monitor.selectors import signs_of
from annotation_platform.jobs.worker_status import record_pulse
from annotation_platform.releases.models import Release
from annotation_platform.studies.models import (
    Assignment,
    AssignmentState,
    BatchState,
    Item,
    Member,
    Role,
    SetAside,
    Study,
)
from annotation_platform.studies.services import claim_assignment, close_batch, set_aside
from tests.api.clients import program, send
from tests.crowd.pieces import RECODED, recoded, signed_in, submitted_places, words
from tests.factories import OPERATOR, MemberFactory, judgment, make_corpus, open_study, study_with_judgments
from workers.tasks import work

pytestmark = [pytest.mark.django_db, pytest.mark.pages]
COPIED = "The answer leaves out that the library closes for two weeks in June, and why."


def said(member: Member, item: Item) -> dict[str, Any]:
    """A always says the same, in B's words; B and C say no, C in other words."""
    if member.pseudonym == "A":
        return {"correct": "yes", "completeness": "complete", "reasons": f"{COPIED} {item.pk}"}
    reasons = f"{COPIED} {item.pk}" if member.pseudonym == "B" else f"Number {item.pk} is right about it, I think."
    level = ("missing_minor", "missing_major")[item.pk % 2]
    return {"correct": "no", "completeness": level, "reasons": reasons}


@pytest.fixture(scope="module")
def stored(module_db: None) -> Study:
    return study_with_judgments(corpus=make_corpus(articles=2, questions=4), values=said, close=False)


@pytest.fixture
def researcher(study: Study) -> Member:
    return MemberFactory(study=study, role=Role.RESEARCHER)


def named(study: Study, pseudonym: str) -> Member:
    return study.members.get(pseudonym=pseudonym)


def test_figures_are_those_of_the_judgments_that_count(study: Study, researcher: Member) -> None:
    item = study.items.order_by("pk")[0]
    signature = study.scheme_version.signature
    raw = judgment(correct="no", completeness="missing_minor")
    adjudicate(item=item, adjudicator=researcher, raw=raw, scheme_signature=signature, actor=OPERATOR)
    measure(study)
    a, b = (AnnotatorFigures.objects.get(member__pseudonym=name) for name in "AB")
    items = study.items.count()
    assert (a.judgments, a.seconds_n, a.done) == (items, items, len(submitted_places(study, "A")))
    assert a.agreement == 0
    assert b.agreement == pytest.approx(0.5)  # of the two others, C says the same
    assert a.agreement_n == b.agreement_n == 2 * items
    assert (a.adjudicated, a.adjudicated_n) == (0, 2)
    assert b.adjudicated in (0.5, 1)


def test_hints_are_counted_of_the_judgments_that_count(study: Study, researcher: Member) -> None:
    a, items = named(study, "A"), list(study.items.order_by("pk"))
    for item in items:
        Hint.objects.create(annotator=a, item=item, aspect="reasons", text="yes", reason="short", score=0.0)
    gone = submitted_places(study, "A")[0]
    set_aside(assignment=gone, kind=SetAside.Kind.REJECTED, because="Not as asked.", actor=OPERATOR)
    measure(study)
    figures = AnnotatorFigures.objects.get(member=a)
    assert figures.hinted == figures.judgments == len(items) - gone.hit.items.count()


def test_signs_show_their_evidence_beside_each_other(study: Study, researcher: Member) -> None:
    measure(study)
    a = named(study, "A")
    kinds = {each.sign.kind: each for each in signs_of(a)}
    assert {"one_label", "copied"} <= set(kinds)
    case = kinds["copied"].cases[0]
    assert case.text == case.beside
    assert case.whose == "B"
    page = words(signed_in(researcher), reverse("watched_annotator", args=[study.slug, a.pk]))
    assert page.count(COPIED) >= 2
    assert "nothing follows from them by itself" in page
    assert not Sign.objects.filter(member=named(study, "C"), kind="copied").exists()
    a.refresh_from_db()
    assert (a.excluded_at, a.paused_at) == (None, None)


def test_the_table_shows_who_does_what_and_asks_as_often_for_many(study: Study, researcher: Member) -> None:
    measure(study)
    newcomer = MemberFactory(study=study, pseudonym="newcomer")
    Assignment.objects.filter(pk=submitted_places(study, "C")[0].pk).update(
        annotator=None, state=AssignmentState.OPEN, submitted_at=None
    )
    place = claim_assignment(annotator=newcomer, actor=OPERATOR)
    client, url = signed_in(researcher), reverse("monitor", args=[study.slug])
    page = words(client, url)
    assert place.hit.article.title in page
    assert "left</span>" in page
    with CaptureQueriesContext(connection) as few:
        table = client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in table
    assert 'hx-trigger="every 15s' in table
    for _ in range(5):
        MemberFactory(study=study)
    with CaptureQueriesContext(connection) as many:
        client.get(url, headers={"HX-Request": "true"})
    assert len(many) == len(few)
    assert "newcomer" not in words(client, f"{url}?look=1")
    at_work = words(client, f"{url}?work=1")
    assert "newcomer" in at_work
    assert ">A</a>" not in at_work
    for sort in ("name", "-done", "last", "-time", "agreement", "nonsense"):
        assert client.get(f"{url}?sort={sort}&page=99").status_code == 200


def test_it_is_measured_while_somebody_looks_and_not_otherwise(study: Study, researcher: Member) -> None:
    find_watched()
    assert not MonitorJob.objects.exists()
    client, url = signed_in(researcher), reverse("monitor", args=[study.slug])
    client.get(url)
    find_watched()
    find_watched()
    job = MonitorJob.objects.get()
    work(MONITORS.name, job.pk)
    assert AnnotatorFigures.objects.filter(study=study).count() == 3
    find_watched()
    assert not MonitorJob.objects.active().exists()  # just measured
    long_ago = timezone.now() - timedelta(minutes=1)
    Watch.objects.update(measured_at=long_ago, took=0.1, watched_at=timezone.now())
    find_watched()
    assert MonitorJob.objects.active().count() == 1
    MonitorJob.objects.all().delete()
    Watch.objects.update(took=60)  # too dear to repeat yet
    find_watched()
    assert not MonitorJob.objects.exists()


def test_the_first_look_has_it_measured_and_says_what_will_come(study: Study, researcher: Member) -> None:
    client, url = signed_in(researcher), reverse("monitor", args=[study.slug])
    page = words(client, url)
    assert "The background worker is not running; this waits for it." in page
    assert 'hx-trigger="every 15s' in page
    record_pulse(name="worker")
    page = words(client, url)
    assert "are being measured for the first time" in page
    assert 'hx-trigger="every 2s' in page
    find_watched()
    job = MonitorJob.objects.active().get()  # from before the sweep
    work(MONITORS.name, job.pk)
    page = words(client, url)
    assert "for the first time" not in page
    assert 'hx-trigger="every 15s' in page


def test_who_was_not_measured_yet_is_not_said_to_stand_out_by_nothing(study: Study, researcher: Member) -> None:
    client, c = signed_in(researcher), named(study, "C")
    address = reverse("watched_annotator", args=[study.slug, c.pk])
    page = words(client, address)
    assert "Nothing of theirs was measured yet. A worker does it while the monitor is open, and within two" in page
    assert "Nothing stands out" not in page
    assert Watch.objects.filter(study=study).exists(), "so that a worker measures"
    measure(study)
    Sign.objects.filter(member=c).delete()
    assert "Nothing stands out" in words(client, address)


def test_a_measurement_that_failed_says_why_until_one_ends_well(study: Study, researcher: Member) -> None:
    client, url = signed_in(researcher), reverse("monitor", args=[study.slug])
    client.get(url)
    find_watched()
    failed = MonitorJob.objects.active().get()
    MonitorJob.objects.filter(pk=failed.pk).update(
        **{"status": "failed", "error": Reason("jobs.worker_died", attempts=2), "finished_at": timezone.now()}
    )
    find_watched()
    for page in (url, reverse("watched_annotator", args=[study.slug, named(study, "A").pk])):
        assert "failed, and is tried again while the monitor is open" in words(client, page), "and the next one waits"
    work(MONITORS.name, MonitorJob.objects.active().get().pk)
    assert "tried again" not in words(client, url)


def test_people_are_excluded_and_readmitted_from_here(study: Study, researcher: Member) -> None:
    client, a = signed_in(researcher), named(study, "A")
    act = reverse("act_on_annotator", args=[study.slug, a.pk])
    assert client.post(act, {"action": "exclude", "because": ""}).status_code == 422
    client.post(act, {"action": "exclude", "because": "Not read"})
    a.refresh_from_db()
    assert a.excluded_because == "Not read"
    assert not Annotation.objects.current().filter(annotator=a).exists()
    assert "Readmit" in words(client, reverse("watched_annotator", args=[study.slug, a.pk]))
    client.post(act, {"action": "readmit"})
    a.refresh_from_db()
    assert a.excluded_at is None
    assert Annotation.objects.current().filter(annotator=a).exists()


def test_what_stays_aside_is_told_when_somebody_is_readmitted(study: Study, researcher: Member) -> None:
    client, a = signed_in(researcher), named(study, "A")
    act, count = reverse("act_on_annotator", args=[study.slug, a.pk]), len(submitted_places(study, "A"))
    client.post(act, {"action": "exclude", "because": "Not read"})
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    assert "the scheme has had no other version since" in words(
        client, reverse("watched_annotator", args=[study.slug, a.pk])
    )
    page = client.post(act, {"action": "readmit"}, follow=True).content.decode()
    assert "Tasks that count again: 0." in page
    assert f"{count} tasks of A stay aside" in page


def test_the_api_tells_what_stays_aside_too(study: Study, researcher: Member) -> None:
    client, count = program(researcher.user), len(submitted_places(study, "A"))
    address = f"/studies/{study.slug}/members/{named(study, 'A').pk}"
    send(client, "POST", f"{address}/exclude", {"because": "Not read"})
    told = send(client, "POST", f"{address}/readmit").json()
    assert (told["tasks_restored"], told["tasks_left_aside"], told["excluded_at"]) == (count, 0, None)
    send(client, "POST", f"{address}/exclude", {"because": "Not read"})
    migrate_scheme(study=study, definition=recoded(), renamings=RECODED, actor=OPERATOR)
    told = send(client, "POST", f"{address}/readmit").json()
    assert (told["tasks_restored"], told["tasks_left_aside"]) == (0, count)


def test_an_exclusion_counts_the_places_in_closed_batches_apart(study: Study, researcher: Member) -> None:
    client, a = signed_in(researcher), named(study, "A")
    act, count = reverse("act_on_annotator", args=[study.slug, a.pk]), len(submitted_places(study, "A"))
    for batch in study.batches.filter(state=BatchState.OPEN):
        close_batch(batch=batch, because="enough", actor=OPERATOR)
    page = client.post(act, {"action": "exclude", "because": "Not read"}, follow=True).content.decode()
    assert "Tasks set aside, open to others now: 0." in page
    assert f"Tasks set aside in closed batches: {count}. Open batch 1 again" in page
    address = f"/studies/{study.slug}/members/{a.pk}"
    send(program(researcher.user), "POST", f"{address}/readmit")
    told = send(program(researcher.user), "POST", f"{address}/exclude", {"because": "Not read"}).json()
    assert (told["tasks_set_aside"], told["in_closed_batches"]) == (count, {"1": count})


def test_a_second_click_tells_of_an_exclusion_what_the_first_one_did(study: Study, researcher: Member) -> None:
    client, a = signed_in(researcher), named(study, "A")
    act, count = reverse("act_on_annotator", args=[study.slug, a.pk]), len(submitted_places(study, "A"))
    for because in ("Not read", "Not read"):
        page = client.post(act, {"action": "exclude", "because": because}, follow=True).content.decode()
        assert f"Tasks set aside, open to others now: {count}." in page
    address = f"/studies/{study.slug}/members/{a.pk}/exclude"
    told = send(program(researcher.user), "POST", address, {"because": "Not read"}).json()
    assert (told["tasks_set_aside"], told["in_closed_batches"]) == (count, {})


def test_a_second_click_tells_of_a_readmission_what_the_first_one_did(study: Study, researcher: Member) -> None:
    client, a = signed_in(researcher), named(study, "A")
    act, count = reverse("act_on_annotator", args=[study.slug, a.pk]), len(submitted_places(study, "A"))
    client.post(act, {"action": "exclude", "because": "Not read"})
    for _ in range(2):
        page = client.post(act, {"action": "readmit"}, follow=True).content.decode()
        assert f"Tasks that count again: {count}." in page
    told = send(program(researcher.user), "POST", f"/studies/{study.slug}/members/{a.pk}/readmit").json()
    assert told["tasks_restored"] == count
    b = named(study, "B")
    told = send(program(researcher.user), "POST", f"/studies/{study.slug}/members/{b.pk}/readmit").json()
    assert told["tasks_restored"] == 0, "they were never excluded"


def test_an_exclusion_says_which_batches_a_release_keeps_closed(study: Study, researcher: Member) -> None:
    client, places = signed_in(researcher), submitted_places(study, "A")
    for batch in study.batches.filter(state=BatchState.OPEN):
        close_batch(batch=batch, because="enough", actor=OPERATOR)
    Release.objects.create(study=study, requested_by=researcher, number=1, status="done", frozen_at=timezone.now())
    decide = reverse("decide_review", args=[study.slug, places[0].pk, named(study, "A").pk])
    page = client.post(decide, {"decision": "reject", "because": "Not read"}, follow=True).content.decode()
    assert "Release 1 froze batch 1" in page
    act = reverse("act_on_annotator", args=[study.slug, named(study, "A").pk])
    page = client.post(act, {"action": "exclude", "because": "Not read"}, follow=True).content.decode()
    assert "Release 1 froze batch 1" in page


def test_more_time_is_for_the_task_under_way_not_for_one_of_a_closed_batch(researcher: Member) -> None:
    study = open_study(corpus=make_corpus(articles=2, questions=1, systems=("alder",)), hits_per_batch=1)
    member = MemberFactory(study=study)
    unfinished = claim_assignment(annotator=member, actor=OPERATOR)
    close_batch(batch=unfinished.hit.batch, because="by R", actor=OPERATOR)
    place = claim_assignment(annotator=member, actor=OPERATOR)
    client = signed_in(MemberFactory(study=study, role=researcher.role))
    client.post(reverse("act_on_annotator", args=[study.slug, member.pk]), {"action": "extend", "minutes": "30"})
    before = place.lease_expires_at
    place.refresh_from_db()
    assert before is not None
    assert place.lease_expires_at is not None
    assert place.lease_expires_at > before


def test_a_task_under_way_gets_more_time_or_is_opened_to_others(study: Study, researcher: Member) -> None:
    Assignment.objects.filter(pk=submitted_places(study, "C")[0].pk).update(
        annotator=None, state=AssignmentState.OPEN, submitted_at=None
    )
    newcomer = MemberFactory(study=study)
    place = claim_assignment(annotator=newcomer, actor=OPERATOR)
    client, act = signed_in(researcher), reverse("act_on_annotator", args=[study.slug, newcomer.pk])
    before = place.lease_expires_at
    assert client.post(act, {"action": "extend", "minutes": "x"}).status_code == 422
    client.post(act, {"action": "extend", "minutes": "30"})
    place.refresh_from_db()
    assert before is not None
    assert place.lease_expires_at is not None
    assert place.lease_expires_at > before
    client.post(act, {"action": "reopen"})
    place.refresh_from_db()
    assert place.state == AssignmentState.OPEN
    assert client.post(act, {"action": "reopen"}).status_code == 422


def test_of_a_paste_its_length_alone_is_kept(study: Study) -> None:
    a = named(study, "A")
    place = submitted_places(study, "A")[0]
    client, url = signed_in(a), reverse("pasted", args=[place.pk, 1])
    assert client.post(url, {"slot": "reasons", "characters": "120"}).status_code == 204
    for wrong in ({"slot": "correct", "characters": "9"}, {"slot": "reasons", "characters": "-1"}, {}):
        assert client.post(url, wrong).status_code == 204
    paste = Paste.objects.get()
    assert (paste.member, paste.slot, paste.characters) == (a, "reasons", 120)
    assert signed_in(named(study, "B")).post(url, {"slot": "reasons", "characters": "9"}).status_code == 404
    assert Paste.objects.count() == 1
    measure(study)
    assert Sign.objects.filter(member=a, kind="pasted").exists()
    assert "how long it was" in words(client, reverse("instructions", args=[place.pk]))


def test_a_paste_into_a_form_of_another_version_of_the_scheme_is_not_counted(study: Study) -> None:
    place, before = submitted_places(study, "A")[0], study.scheme_version.signature
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"].append(definition["aspects"][-1] | {"key": "remarks", "required": False})
    migrate_scheme(study=study, definition=definition, actor=OPERATOR)
    client, url = signed_in(named(study, "A")), reverse("pasted", args=[place.pk, 1])
    said = {"slot": "reasons", "characters": "120"}
    assert client.post(url, said | {"scheme": before}).status_code == 204
    assert not Paste.objects.exists()
    now = Study.objects.get(pk=study.pk).scheme_version.signature
    assert client.post(url, said | {"scheme": now}).status_code == 204
    assert Paste.objects.count() == 1


def test_pastes_are_held_against_what_was_submitted_after_their_field_has_another_key(study: Study) -> None:
    a = named(study, "A")
    for slot in ("reasons", "elsewhere"):
        Paste.objects.create(
            member=a, item=submitted_places(study, "A")[0].hit.items.all()[0], slot=slot, characters=120
        )
    definition = preset("ebr") | {"examples": [], "rescale": []}
    definition["aspects"][-1]["key"] = "why"
    migrate_scheme(study=study, definition=definition, renamings=["reasons = why"], actor=OPERATOR)
    assert set(Paste.objects.values_list("slot", flat=True)) == {"why", "elsewhere"}
    measure(Study.objects.get(pk=study.pk))
    assert Sign.objects.filter(member=a, kind="pasted").exists()


def test_pastes_into_a_field_that_is_gone_are_held_against_no_other(study: Study) -> None:
    item = submitted_places(study, "A")[0].hit.items.all()[0]
    old = preset("ebr") | {"examples": [], "rescale": []}
    old["aspects"].append(old["aspects"][-1] | {"key": "remarks", "required": False})
    migrate_scheme(study=study, definition=old, actor=OPERATOR)
    for slot in ("reasons", "remarks"):
        Paste.objects.create(member=named(study, "A"), item=item, slot=slot, characters=len(slot))
    new = preset("ebr") | {"examples": [], "rescale": []}
    new["aspects"][-1]["key"] = "remarks"
    migrate_scheme(
        study=Study.objects.get(pk=study.pk), definition=new, renamings=["reasons = remarks"], actor=OPERATOR
    )
    assert list(Paste.objects.values_list("slot", "characters")) == [("remarks", len("reasons"))]


def test_nobody_else_enters(study: Study) -> None:
    a = named(study, "A")
    pages = [reverse("monitor", args=[study.slug]), reverse("watched_annotator", args=[study.slug, a.pk])]
    act = reverse("act_on_annotator", args=[study.slug, a.pk])
    foreign = MemberFactory(role=Role.RESEARCHER)
    for outsider in (a, foreign):
        client = signed_in(outsider)
        assert [client.get(url).status_code for url in pages] == [404, 404]
        assert client.post(act, {"action": "exclude", "because": "x"}).status_code == 404
    assert [Client().get(url).status_code for url in pages] == [302, 302]
    other_study = reverse("watched_annotator", args=[foreign.study.slug, a.pk])
    assert signed_in(foreign).get(other_study).status_code == 404
    a.refresh_from_db()
    assert a.excluded_at is None
