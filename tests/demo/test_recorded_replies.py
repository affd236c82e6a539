"""The replies that come with the samples answer everything that the demo's runs ask: no server is needed."""

import gzip

import pytest
from django.core.management import call_command

from annotation_platform.demo.recorded import (
    RECORDED,
    REPLIES,
    SAMPLES,
    RecordedRun,
    load_replies,
    run_recorded,
    save_replies,
)
from annotation_platform.demo.samples import corpus_name
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.scoring.models import Completion, ItemLabel
from annotation_platform.studies.models import Item, Study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda each: each.sample)
def test_a_recorded_run_ends_without_asking_anybody(recorded: RecordedRun) -> None:
    name = corpus_name(SAMPLES / recorded.sample)
    call_command("import_study", "native", str(SAMPLES / recorded.sample), name=name, verbosity=0)
    load_replies(SAMPLES / REPLIES)
    replies = Completion.objects.count()
    study = Study.objects.get(name=name)

    run = run_recorded(recorded, study)

    outdated = "The sample or its prompts have changed: `manage.py record_replies` asks the model again."
    assert run is not None
    assert run.status == JobStatus.DONE, f"{outdated} {run.error}"
    assert Completion.objects.count() == replies
    assert run.connection is not None
    assert not run.connection.encrypted_key
    labels = ItemLabel.objects.filter(run=run)
    assert labels.values("item").distinct().count() == Item.objects.filter(study=study).count()
    assert labels.exclude(label="").exists()


def test_the_same_replies_make_the_same_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    load_replies(SAMPLES / REPLIES)
    again = tmp_path_factory.mktemp("again") / REPLIES
    save_replies(again, Completion.objects.order_by("-signature"))
    assert not Completion.objects.filter(model__contains="/").exists()
    assert gzip.decompress(again.read_bytes()) == gzip.decompress((SAMPLES / REPLIES).read_bytes())
