"""Who starts a run at the moment in which the study goes to another version of its scheme."""

from threading import Event
from typing import Any

import pytest

from annotation_platform.annotations.migrating import migrate_scheme
from annotation_platform.core.schemes import preset
from annotation_platform.scoring.models import TrainedRescaler
from annotation_platform.scoring.services import start_run, starting
from annotation_platform.studies.models import Study
from annotation_platform.studies.services import close_batch
from tests.factories import OPERATOR, open_study
from tests.studies.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("many connections")]


def test_a_run_finds_the_rescaler_under_the_key_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    study = open_study()
    for batch in study.batches.all():
        close_batch(batch=batch, because="test", actor=OPERATOR)
    TrainedRescaler.objects.create(
        study=study, aspect="completeness", sha256="a" * 64, artefact=b"", trained_on={}, figures={}
    )
    is_resolved, has_migrated, resolve = Event(), Event(), starting.resolve_parameters

    def resolved_slowly(**what: Any) -> Any:
        resolved = resolve(**what)
        is_resolved.set()
        has_migrated.wait(timeout=2)
        return resolved

    monkeypatch.setattr(starting, "resolve_parameters", resolved_slowly)
    definition = preset("ebr") | {"examples": []}
    definition["aspects"][1]["key"] = definition["rescale"][0]["aspect"] = "coverage"

    def work(which: int) -> Any:
        own = Study.objects.select_related("scheme_version").get(pk=study.pk)
        if which == 0:
            return start_run(study=own, scorer="distilled", parameters={"rescaler": "own"}, actor=OPERATOR)
        is_resolved.wait(timeout=60)
        renamings = ["completeness = coverage"]
        migrated = migrate_scheme(study=own, definition=definition, renamings=renamings, actor=OPERATOR)
        has_migrated.set()
        return migrated

    run, migrated = at_once(2, work)
    assert not isinstance(run, Exception), run
    assert not isinstance(migrated, Exception), migrated
    run.refresh_from_db()
    assert run.parameters["own"] == {"coverage": "a" * 64}
