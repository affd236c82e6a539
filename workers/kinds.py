"""All kinds of long jobs, in the order in which the sweep looks for what waits; and what it does besides."""

from functools import partial
from typing import Any

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.sessions import forget_old_sessions
from annotation_platform.analysis.explorer.jobs import EXPLORATIONS
from annotation_platform.analysis.paper.bundles import BUNDLES
from annotation_platform.analysis.snapshots.jobs import SNAPSHOTS, forget_old_jobs
from annotation_platform.annotations import migrating
from annotation_platform.annotations.migrating import MIGRATIONS
from annotation_platform.crowd.checks.services import apply_rules_that_wait
from annotation_platform.crowd.home.takeout.jobs import TAKEOUTS
from annotation_platform.crowd.monitor.jobs import MONITORS
from annotation_platform.crowd.pacing.services import release_due
from annotation_platform.crowd.pay.services import credit_what_is_due
from annotation_platform.crowd.providers.prolific.participants.services import forget_old_files
from annotation_platform.crowd.providers.prolific.signing import keep_keys_known
from annotation_platform.crowd.providers.results_file.services import let_files_arrive
from annotation_platform.crowd.takeout.services import forget_old_takeouts
from annotation_platform.crowd.talk import notifications
from annotation_platform.imports.drafts import discard_old_jobs
from annotation_platform.imports.jobs import IMPORTS
from annotation_platform.imports.uploads import discard_old_uploads
from annotation_platform.jobs.contract import Chore, JobKind
from annotation_platform.jobs.outbox.mail import forget_old_mail
from annotation_platform.jobs.rows import Job
from annotation_platform.releases.freeze import packing, writing
from annotation_platform.releases.freeze.comparing.jobs import COMPARISONS
from annotation_platform.releases.freeze.jobs import RELEASES
from annotation_platform.releases.services import EXPORTS
from annotation_platform.scoreback.sending import SENDINGS
from annotation_platform.scoring.services import RUNS
from annotation_platform.scoring.trials import TRIALS
from annotation_platform.studies import arrivals
from annotation_platform.studies.services import close_due_batches, even_out_left_behind
from annotation_platform.webhooks.sending import forget_old_deliveries

KINDS: tuple[JobKind[Any], ...] = (
    RUNS,
    SNAPSHOTS,
    EXPLORATIONS,
    BUNDLES,
    EXPORTS,
    RELEASES,
    packing.PACKINGS,
    COMPARISONS,
    SENDINGS,
    IMPORTS,
    MIGRATIONS,
    TRIALS,
    MONITORS,
    TAKEOUTS,
)

CHORES = (
    Chore("close batches that are due", partial(close_due_batches, actor=Actor.worker("sweep"))),
    Chore("release batches that are due", partial(release_due, actor=Actor.worker("sweep"))),
    Chore("discard old imports", discard_old_jobs),
    Chore("forget uploads that nobody goes on with", discard_old_uploads),
    Chore("clear away what killed imports left", arrivals.clear_left_behind),
    Chore("clear away what killed freezes of releases left", writing.clear_left_behind),
    Chore("clear away what was deflated of withdrawn releases", packing.clear_withdrawn),
    Chore("clear away what failed migrations of schemes left", migrating.clear_left_behind),
    Chore("finish changes of overlap that were broken off", even_out_left_behind),
    Chore("credit work that is due", partial(credit_what_is_due, actor=Actor.worker("sweep"))),
    Chore("apply rules about checks that killed processes left", apply_rules_that_wait),
    Chore("forget what was measured long ago", forget_old_jobs),
    Chore("forget old mail", forget_old_mail),
    Chore("forget sessions that are over", forget_old_sessions),
    Chore("remove old files of own data", forget_old_takeouts),
    Chore("forget what webhooks sent long ago", forget_old_deliveries),
    Chore("join files of results with their studies", let_files_arrive),
    Chore("forget files of participants that nobody decided about", forget_old_files),
    Chore("ask for Prolific's keys", keep_keys_known),
    Chore("mail what is new in conversations", notifications.tell_of_messages),
    Chore("mail announcements", notifications.tell_of_announcements),
)


def kind_named(name: str) -> JobKind[Any]:
    return next(kind for kind in KINDS if kind.name == name)


def kind_of(job: Job) -> JobKind[Any]:
    return next(kind for kind in KINDS if kind.model is type(job))
