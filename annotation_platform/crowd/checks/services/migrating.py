"""What becomes of checks when their study gets another version of its scheme."""

from annotation_platform.accounts.actors import Actor
from annotation_platform.accounts.events import record
from annotation_platform.accounts.verbs import Verb
from annotation_platform.annotations.models import Annotation
from annotation_platform.core.qualification import migrate_accepted
from annotation_platform.core.schemes.migration import SchemeChanges
from annotation_platform.crowd.checks.models import Check, CheckResult
from annotation_platform.studies.models import SchemeVersion, Study


def carry_checks(study: Study, version: SchemeVersion, changes: SchemeChanges, actor: Actor) -> None:
    """Accept the same answers under their new keys; the history says which checks lost some of it.

    Their results rest on the migrated judgments from now on, where those migrated, and stay as they came out; what they
    missed goes by its new key, but for aspects that are gone whose key another one has now.

    A follower of ``annotations.scheme_following``.
    """
    checks = list(Check.objects.filter(study=study).select_for_update(no_key=True).order_by("pk"))
    for check in checks:
        kept = migrate_accepted(check.accepted, changes)
        if len(kept) < len(check.accepted):
            change = {"check": (None, check.pk), "aspects": (sorted(check.accepted), sorted(kept))}
            record(actor, Verb.CHECKS_CHANGED, check, study=study, change=change)
        check.accepted = kept
    Check.objects.bulk_update(checks, ["accepted"], batch_size=500)
    _carry_results(study, version)
    _carry_missed(study, version, changes)


def _carry_results(study: Study, version: SchemeVersion) -> None:
    migrated = Annotation.given.filter(scheme_version=version, carried_from__check_result__check_item__study=study)
    carried = dict(migrated.values_list("carried_from", "pk"))
    results = list(CheckResult.objects.filter(annotation__in=migrated.values("carried_from")))
    for result in results:
        result.annotation_id = carried[result.annotation_id]
    CheckResult.objects.bulk_update(results, ["annotation"], batch_size=500)


def _carry_missed(study: Study, version: SchemeVersion, changes: SchemeChanges) -> None:
    others = {aspect.key for aspect in version.scheme().aspects}
    results = list(CheckResult.objects.filter(check_item__study=study).exclude(missed=[]))
    for result in results:
        carried = ((key, changes.slot(key)) for key in result.missed)
        result.missed = [new or key for key, new in carried if new or key.partition(".")[0] not in others]
    CheckResult.objects.bulk_update(results, ["missed"], batch_size=500)
