"""What a release is made of beside rows: settings, counts and runs of its study, kept as they were at the freeze."""

from collections import Counter
from collections.abc import Iterable
from copy import copy
from typing import Any

from annotation_platform.annotations.models import Annotation
from annotation_platform.crowd.consent.models import ConsentText
from annotation_platform.crowd.languages.models import RequiredLanguages
from annotation_platform.crowd.pay.models import PayTerms
from annotation_platform.crowd.providers.registry import providers_of
from annotation_platform.crowd.rounds.models import Attempt, Verdict
from annotation_platform.releases.models import Finding, Release
from annotation_platform.releases.selectors.query import REMOVED
from annotation_platform.studies.models import Item, Member, SchemeVersion, SetAside, Study

SETTINGS = ("name", "slug", "about", "pay", "overlap", "scheme_version_id")
WAYS = {
    "account": "With an account, by invitation",
    "link": "By an invitation link, without an account",
    "prolific": "Through Prolific",
    "results_file": "In the results file of a marketplace",
}
UNKNOWN = "Imported with the data, or removed from the study since"


def facts_of(study: Study) -> dict[str, Any]:
    """``excluded``: annotators whose work counts no more; ``rejected``: pairs of annotator and item."""
    judged = Annotation.objects.closed().filter(item__study=study)
    annotators = list(Member.objects.filter(pk__in=judged.values("annotator")).select_related("user").order_by("pk"))
    excluded = Member.objects.filter(study=study).exclude(excluded_at=None).order_by("pk")
    aside = SetAside.objects.filter(annotator__study=study, restored_at=None, kind=SetAside.Kind.REJECTED)
    return {
        "study": {name: getattr(study, name) for name in SETTINGS},
        "language": study.corpus.language,
        "languages": RequiredLanguages.objects.filter(study=study).values_list("codes", flat=True).first() or [],
        "runs": runs_of(study),
        "came_by": _came_by(annotators),
        "rounds": _rounds_passed(annotators),
        "pay_terms": _pay_terms(study),
        "consents": _consents(study),
        "excluded": list(excluded.values_list("pk", flat=True)),
        "excluded_because": _by_reason(excluded.values_list("excluded_because", flat=True)),
        "rejected": _rejected(study, aside),
        "rejected_because": _by_reason(aside.values_list("because", flat=True)),
    }


def runs_of(study: Study) -> list[int]:
    """Keys of the scoring runs that have finished and count under the study's scheme."""
    return list(study.scoring_runs.finished().order_by("pk").values_list("pk", flat=True))


def as_then(release: Release) -> Release:
    """A copy of the release and its study as they were at the freeze, with texts that a person removed replaced.

    It is for writing the files, and is never saved.
    """
    then, removed = copy(release), removed_from(release)
    study = copy(release.study)
    for name, value in release.facts.get("study", {}).items():
        setattr(study, name, without(value, removed))
    if study.scheme_version_id != release.study.scheme_version_id:
        study.scheme_version = SchemeVersion.objects.get(pk=study.scheme_version_id)
    study.corpus = copy(release.study.corpus)
    study.corpus.language = release.facts.get("language", study.corpus.language)
    then.study = study
    then.title, then.description = without(release.title, removed), without(release.description, removed)
    return then


def removed_from(release: Release) -> tuple[str, ...]:
    """The texts that a person had replaced, the longest first; reasons of staff, as a whole, are left out instead."""
    found = release.findings.filter(verdict=Finding.Verdict.REMOVED).exclude(kind=Finding.Kind.REASON)
    return tuple(sorted(set(found.values_list("text", flat=True)), key=lambda text: (-len(text), text)))


def without(value: Any, removed: Iterable[str]) -> Any:
    """Plain data in whose texts the removed ones are replaced; keys stay."""
    if isinstance(value, str):
        for text in removed:
            value = value.replace(text, REMOVED)
        return value
    if isinstance(value, dict):
        return {key: without(each, removed) for key, each in value.items()}
    return [without(each, removed) for each in value] if isinstance(value, list) else value


def _by_reason(reasons: Iterable[str]) -> list[list[Any]]:
    return _counted(" ".join(reason.split()) for reason in reasons)


def _counted(said: Iterable[str]) -> list[list[Any]]:
    """Each text and how often it is there, the most frequent first."""
    return [list(each) for each in sorted(Counter(said).items(), key=lambda each: (-each[1], each[0]))]


def _came_by(annotators: list[Member]) -> list[list[Any]]:
    ways = (WAYS.get(each.key, each.key) if each else UNKNOWN for each in providers_of(annotators))
    return _counted(ways)


def _rounds_passed(annotators: list[Member]) -> list[list[Any]]:
    passed = Attempt.objects.filter(member__in=annotators, verdict=Verdict.PASSED).order_by("round__position", "round")
    titles: dict[int, list[Any]] = {}
    for key, title, _ in passed.values_list("round", "round__title", "member").distinct():
        titles.setdefault(key, [title, 0])[1] += 1
    return list(titles.values())


def _pay_terms(study: Study) -> list[dict[str, Any]]:
    return [
        {
            "from": f"{each.made_at:%Y-%m-%d}",
            "reward": each.reward,
            "currency": each.currency,
            "bonus": each.bonus_percent,
        }
        for each in PayTerms.objects.filter(study=study).order_by("number")
    ]


def _consents(study: Study) -> list[dict[str, Any]]:
    """Each version of the text, in its languages, and how many had agreed to it."""
    return [
        {
            "number": each.number,
            "from": f"{each.created_at:%Y-%m-%d}",
            "texts": each.texts,
            "agreed": each.consents.filter(agreed=True).count(),
        }
        for each in ConsentText.objects.filter(study=study).order_by("number")
    ]


def _rejected(study: Study, aside: Any) -> list[list[int]]:
    items = aside.filter(assignment__hit__items__in=Item.objects.filter(study=study))
    pairs = items.order_by("annotator", "assignment__hit__items").values_list("annotator", "assignment__hit__items")
    return [list(pair) for pair in pairs.distinct()]
