"""Background work. Each task loads by id and calls one service, and every one of them may run twice.

Entry points call ``<task>.delay_on_commit(pk)``. What gets lost on the way is found by :func:`sweep`.
"""

from annotation_platform.analysis.paper import bundles
from annotation_platform.analysis.snapshots import taking as analysis
from annotation_platform.analysis.snapshots.awaiting import studies_awaiting_exploration, studies_awaiting_snapshot
from annotation_platform.annotations import carrying
from annotation_platform.jobs import mail
from annotation_platform.releases import services as releases
from annotation_platform.scoring import import_jobs
from annotation_platform.scoring import services as scoring
from annotation_platform.scoring.models import RunStatus
from annotation_platform.studies import arrivals
from annotation_platform.studies import services as studies
from annotation_platform.studies.models import Study
from workers.celery import app


@app.task
def batch_closed(batch_id: int) -> None:
    """Score the study of a batch that has just closed; where there is nothing to score, measure it at once."""
    closed = Study.objects.filter(batches=batch_id)
    for run in scoring.start_runs_for_closed_batches(studies=closed):
        run_scoring.delay(run.pk)
    for study_id in studies_awaiting_snapshot(closed):
        take_snapshot.delay(study_id)


@app.task
def run_scoring(run_id: int) -> None:
    """Execute a run, unless somebody else has it; then measure the agreement."""
    run = scoring.claim_run(run_id=run_id)
    if run is not None and scoring.execute_run(run=run).status == RunStatus.DONE:
        take_snapshot.delay(run.study_id)


@app.task
def take_snapshot(study_id: int) -> None:
    """Measure the agreement, then every item by itself."""
    analysis.take_snapshot(study=Study.objects.get(pk=study_id))
    explore_study.delay(study_id)


@app.task
def explore_study(study_id: int) -> None:
    # numpy and the readers of texts are for the worker; entry points import this module.
    from annotation_platform.analysis.explorer import indexing as exploring

    exploring.explore_study(study=Study.objects.get(pk=study_id))


@app.task
def make_bundle(bundle_id: int) -> None:
    bundles.make_bundle(bundle_id=bundle_id)


@app.task
def make_export(export_id: int) -> None:
    releases.make_export(export_id=export_id)


@app.task
def run_import(job_id: int) -> None:
    import_jobs.execute_job(job_id=job_id)


@app.task
def deliver_mail() -> None:
    mail.deliver_mail()


@app.task
def sweep() -> None:
    """Close what is due, and send a message for every row that waits for work and has none."""
    studies.close_due_batches()
    for run in scoring.start_runs_for_closed_batches():
        run_scoring.delay(run.pk)
    for run_id in scoring.runs_to_enqueue():
        run_scoring.delay(run_id)
    for study_id in studies_awaiting_snapshot():
        take_snapshot.delay(study_id)
    for study_id in studies_awaiting_exploration():
        explore_study.delay(study_id)
    for bundle_id in bundles.bundles_to_enqueue():
        make_bundle.delay(bundle_id)
    for export_id in releases.exports_to_enqueue():
        make_export.delay(export_id)
    for job_id in import_jobs.jobs_to_enqueue():
        run_import.delay(job_id)
    import_jobs.discard_old_jobs()
    arrivals.clear_left_behind()
    carrying.clear_left_behind()
    if mail.is_due():
        deliver_mail.delay()
    mail.forget_old_mail()
