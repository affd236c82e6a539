"""Somebody gives a release up while somebody else settles what was found in it: one of both is done."""

from threading import Event
from typing import Any

import pytest

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.core.errors import ConflictError
from annotation_platform.releases.freeze import services
from annotation_platform.releases.models import Finding, Release
from tests.factories import OPERATOR, study_with_judgments
from tests.releases.freeze.frozen import asked
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_a_release_that_was_settled_is_not_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    release = asked(study_with_judgments(annotators=3))
    verdicts = dict.fromkeys(release.findings.values_list("pk", flat=True), Finding.Verdict.KEPT)
    looked, settled = Event(), Event()

    def record_late(actor: Actor, verb: Verb, *about: Any, **more: Any) -> None:
        if verb == Verb.RELEASE_GIVEN_UP:
            looked.set()
            settled.wait(2)
        record(actor, verb, *about, **more)

    def one_of_two(index: int) -> bool:
        if index:
            return services.give_up_release(release=Release.objects.get(pk=release.pk), actor=OPERATOR) is None
        looked.wait(5)
        try:
            return services.settle_findings(release=release, verdicts=verdicts, actor=OPERATOR)
        finally:
            settled.set()

    monkeypatch.setattr(services, "record", record_late)
    of_settling, _ = at_once(2, one_of_two)
    assert isinstance(of_settling, ConflictError) != Release.objects.filter(pk=release.pk).exists()
