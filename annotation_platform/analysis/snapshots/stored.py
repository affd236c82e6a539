"""Which snapshot a page shows, which of its sections, in which words; and whether the world has moved on since."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from annotation_platform import __version__
from annotation_platform.analysis.measuring.certainty import corrected_p, is_certain
from annotation_platform.analysis.measuring.figures import SectionFigures
from annotation_platform.analysis.models import AgreementSnapshot, SnapshotSection
from annotation_platform.analysis.topics import collected
from annotation_platform.core.errors import NotThereError
from annotation_platform.core.text import batches_in_words, decimal
from annotation_platform.scoring.models import Method
from annotation_platform.scoring.selectors import counted_runs, people_read_labels_since
from annotation_platform.studies.models import FINISHED_STATES, Batch, Study

SIDES = ("raw", "rescaled", "change")
FIGURES: dict[str, SectionFigures[Any]] = collected("figures", "FIGURES")


def closed_batches(study: Study) -> list[int]:
    """Numbers of the batches that take no more judgments."""
    closed = Batch.objects.filter(study=study, state__in=FINISHED_STATES)
    return list(closed.order_by("number").values_list("number", flat=True))


# That of the run whose scores were chosen; then by run: with several workers, the snapshot of an older run may be
# stored after that of a newer one. The data may also come back to what an older snapshot measured.
NEWEST_FIRST = (F("run__is_chosen").desc(nulls_last=True), F("run").desc(nulls_last=True), "-measured_at", "-pk")


def latest_snapshot(study: Study) -> AgreementSnapshot | None:
    return AgreementSnapshot.objects.filter(study=study).order_by(*NEWEST_FIRST).first()


def sections_of(snapshot: AgreementSnapshot, keys: Iterable[str], *, aspect: str | None = None) -> dict[str, Any]:
    """These sections of a snapshot, and no others, are loaded: one query.

    With ``aspect``, those of the aspect, with its head, and of the study as a whole; without, of the latter alone.
    A section that the snapshot does not have, or has in another version, is not there.

    Raises
    ------
    NotThereError
        When the snapshot has no such aspect.
    """
    found: dict[str, Any] = {}
    if aspect is not None:
        found = next((dict(each) for each in snapshot.head["aspects"] if each["aspect"] == aspect), {})
        if not found:
            raise NotThereError("analysis.no_aspect")
    readable = set(keys) - of_another_version(snapshot).keys()
    rows = SnapshotSection.objects.filter(snapshot=snapshot, key__in=readable, aspect__in={"", aspect or ""})
    return found | dict(rows.values_list("key", "figures"))


def of_another_version(snapshot: AgreementSnapshot) -> dict[str, SectionFigures[Any]]:
    """The sections whose figures it has in a form that is not today's."""
    versions = snapshot.head.get("versions", {})
    return {key: figures for key, figures in FIGURES.items() if versions.get(key) != figures.version}


def section_by_aspect(snapshot: AgreementSnapshot, key: str) -> dict[str, Any]:
    """One section of every aspect, by the aspect's key."""
    return dict(SnapshotSection.objects.filter(snapshot=snapshot, key=key).values_list("aspect", "figures"))


def headline(
    counts: dict[str, Any], aspects: list[dict[str, Any]], sections: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """The few numbers that the study's start page shows."""
    found = []
    for aspect in aspects:
        figures = sections[aspect["aspect"]]
        tau = figures["pairwise_tau"]["all"]
        found.append(
            {key: aspect[key] for key in ("aspect", "title", "is_rescaled")}
            | {"alpha": figures["krippendorff_alpha"]["raw"]}
            | {side: tau[side] and tau[side]["mean"] for side in SIDES}
        )
    return {"counts": counts, "aspects": found}


def headline_words(headline: dict[str, Any]) -> list[str]:
    """A sentence for each rescaled aspect, and one for all the others together."""
    compared = [aspect for aspect in headline["aspects"] if aspect["is_rescaled"]]
    others = [aspect for aspect in headline["aspects"] if not aspect["is_rescaled"]]
    sentences = [(aspect["title"], change_in_words(aspect)) for aspect in compared]
    if len(others) == 1:
        sentences.append((others[0]["title"], alpha_in_words(others[0]["alpha"])))
    if len(sentences) == 1:
        found = [text[0].upper() + text[1:] for _, text in sentences]
    else:
        found = [f"“{title}”: {text}" for title, text in sentences]
    return found + ([extremes_in_words(others)] if len(others) > 1 else [])


@dataclass(frozen=True)
class Headline:
    """The newest snapshot's main figures, and why it is out of date (empty: it is not)."""

    snapshot: AgreementSnapshot
    stale_because: str

    @property
    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = self.snapshot.head["headline"]
        return found

    @property
    def words(self) -> list[str]:
        return headline_words(self.figures)


def headline_of(study: Study) -> Headline | None:
    snapshot = latest_snapshot(study)
    return None if snapshot is None else Headline(snapshot, why_stale(study, snapshot))


def why_stale(study: Study, snapshot: AgreementSnapshot) -> str:
    """Why a snapshot is out of date; empty when it is not.

    Judgments of closed batches change only when the scheme does, or when a batch is opened again, so that batches
    with the time they closed, runs and scheme stand for the data.
    """
    scheme, batches = snapshot.head["scheme"], snapshot.head["batches"]
    finished = list(
        study.batches.filter(state__in=FINISHED_STATES)
        .order_by("number")
        .values_list("number", "closed_at", "reopened_at")
    )
    closed = [number for number, _, _ in finished]
    if scheme != str(study.scheme_version):
        return f"The study's scheme was {scheme} and is {study.scheme_version} now."
    new = [number for number in closed if number not in batches]
    if new:
        return f"{batches_in_words(new).capitalize()} {'has' if len(new) == 1 else 'have'} closed since."
    if reopened := [number for number in batches if number not in closed]:
        were = "was" if len(reopened) == 1 else "were"
        return f"{batches_in_words(reopened).capitalize()} {were} opened again, and may change until closed."
    since = snapshot.measured_at
    if again := [number for number, at, reopened_at in finished if reopened_at and at and at > since]:
        were = "was" if len(again) == 1 else "were"
        return f"{batches_in_words(again).capitalize()} {were} opened again and closed since."
    runs = counted_runs(study)
    if snapshot.head["run"] and snapshot.run_id is None:
        return "The scoring run that its figures rest on was deleted."
    if snapshot.run_id != runs.get(Method.EBR, [None])[0]:
        return "The judgments have been scored again since."
    known = snapshot.runs if snapshot.runs is not None else runs  # an older version did not write them down
    for method, found in runs.items():
        before = known.get(method, [])
        if other := set(found).difference(before):
            which = "Another run" if before else "A run"
            what = "was chosen" if before and max(other) < max(before) else "has finished"
            return f"{which} of “{Method(method).label}” {what} since."
    if people_read_labels_since(runs, snapshot.measured_at):
        return "People have decided on replies of a model that nobody could read before."
    if old := of_another_version(snapshot):
        titles = ", ".join(f"“{figures.title}”" for figures in old.values())
        return f"Its figures of {titles} were stored by an earlier version, which this one does not read."
    if snapshot.code_version != __version__:
        return f"It was computed by version {snapshot.code_version}; this is {__version__}."
    return ""


def in_words(aspect: dict[str, Any]) -> list[str]:
    """What the figures of an aspect say, one sentence for each setting that has something to say."""
    if aspect["level"] == "nominal":
        words = alpha_in_words(aspect["krippendorff_alpha"]["raw"])
        return [words[0].upper() + words[1:]]
    settings = {
        "all": "Over all items",
        "incomplete": "Where at least one of two annotators chose less than the best label",
    }
    tau = aspect["pairwise_tau"]
    how = {"is_rescaled": aspect["is_rescaled"]}
    return [
        f"{where}, {change_in_words({side: tau[key][side] and tau[key][side]['mean'] for side in SIDES}, **how)}"
        for key, where in settings.items()
        if tau[key]["raw"]["mean"]["value"] is not None
    ]


def alpha_in_words(alpha: dict[str, Any]) -> str:
    """Whether annotators agree beyond chance, as half a sentence that says no more than the interval does."""
    if alpha["value"] is None:
        return f"agreement is not defined: {alpha['undefined_because']}"
    figure = f"Krippendorff α {_two(alpha['value'])}"
    if alpha["interval"] is None:
        return (
            f"{figure}, which has no interval, so it cannot be said whether annotators agree beyond chance: "
            f"{alpha['no_interval_because']}"
        )
    said = {1: "annotators agree beyond chance", -1: "annotators agree less than chance would have it"}
    how = said.get(side_of_zero(alpha), "it is not certain that annotators agree beyond chance")
    return f"{how}: {figure}{_between(alpha['interval'])}."


def extremes_in_words(aspects: list[dict[str, Any]]) -> str:
    """On how many of several aspects people agree beyond chance; on which most and least, where that is certain.

    It is where their intervals meet those of no other aspect.
    """
    defined = [aspect for aspect in aspects if aspect["alpha"]["value"] is not None]
    if not defined:
        return f"On none of {len(aspects)} aspects is agreement defined: {aspects[0]['alpha']['undefined_because']}"
    if len(defined) == 1:
        (only,) = defined
        text = f"“{only['title']}” is the only one of {len(aspects)} aspects on which agreement is defined"
        return f"{text}: {alpha_in_words(only['alpha'])}"
    beyond = sum(side_of_zero(aspect["alpha"]) == 1 for aspect in defined)
    of = f"{len(defined)} aspects"
    text = f"Annotators agree beyond chance on {beyond} of {of}"
    if beyond == len(defined):
        text = f"Annotators agree beyond chance on {'both aspects' if beyond == 2 else f'all {of}'}"
    elif not beyond:
        text = f"On none of {of} is it certain that annotators agree beyond chance"
    return f"{text}{_most_and_least(defined, is_agreement=bool(beyond))}."


def _most_and_least(aspects: list[dict[str, Any]], *, is_agreement: bool) -> str:
    """On which of several aspects α is highest and lowest; “most” and “least” only where no other may be."""
    most, least = (pick(aspects, key=lambda aspect: aspect["alpha"]["value"]) for pick in (max, min))
    high, low = (_two(each["alpha"]["value"]) for each in (most, least))
    if high == low:
        return f"; Krippendorff α is {high} on each"
    of_others = [[each["alpha"] for each in aspects if each is not one] for one in (most, least)]
    is_most = all(_is_above(most["alpha"], other) for other in of_others[0])
    is_least = all(_is_above(other, least["alpha"]) for other in of_others[1])
    if is_agreement and is_most and is_least:
        return f", most on “{most['title']}” (Krippendorff α {high}) and least on “{least['title']}” (α {low})"
    are_apart = _is_above(most["alpha"], least["alpha"])
    how = "and their intervals do not meet" if are_apart else "a difference that may be chance"
    return f"; Krippendorff α runs from {low} on “{least['title']}” to {high} on “{most['title']}”, {how}"


def _is_above(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the whole interval of one figure lies above that of another."""
    return bool(one["interval"] and other["interval"] and one["interval"][0] > other["interval"][1])


def side_of_zero(figure: dict[str, Any]) -> int:
    """1 where the whole interval lies above zero, -1 where it lies below, 0 where it does neither or is not there."""
    low, high = figure.get("interval") or (0, 0)
    return int(low > 0) - int(high < 0)


def change_in_words(means: dict[str, Any], *, is_rescaled: bool = True) -> str:
    """Raw and rescaled τ and their paired change as half a sentence that says no more than their intervals do."""
    raw, rescaled, change = (means[side] for side in SIDES)
    if raw["value"] is None:
        if rescaled is None or rescaled["value"] is None:
            return f"agreement is not defined: {raw['undefined_because']}"
        why = raw["undefined_because"].rstrip(".")
        return f"{_alike(rescaled)} after rescaling; before, it is not defined: {why}."
    if rescaled is None or rescaled["value"] is None or change is None or change["value"] is None:
        return f"{_alike(raw)}{_not_compared(rescaled, change) if is_rescaled else ''}."
    how = "it is not certain whether annotators order answers more alike after rescaling"
    if is_certain(change):
        how = f"annotators order answers {'more' if change['value'] > 0 else 'less'} alike after rescaling"
    p = corrected_p(change)
    return (
        f"{how}: τ {_two(rescaled['value'])}, was {_two(raw['value'])}"
        f" (95\u00a0% interval of the change{_between(change['interval'], '')}{'' if p is None else _p(p)})."
    )


def _alike(tau: dict[str, Any]) -> str:
    if tau["interval"] is None:
        return f"τ is {_two(tau['value'])} without an interval, so it cannot be said whether answers are ordered alike"
    said = {1: "annotators order answers alike", -1: "annotators order answers in opposite ways"}
    how = said.get(side_of_zero(tau), "it is not certain that annotators order answers alike")
    return f"{how}: τ {_two(tau['value'])}{_between(tau['interval'])}"


def _not_compared(rescaled: dict[str, Any] | None, change: dict[str, Any] | None) -> str:
    """Why there is nothing to compare the labels as given with."""
    if rescaled is None:
        return "; not rescaled yet"
    if rescaled["value"] is None:
        return f"; after rescaling it is not defined: {rescaled['undefined_because'].rstrip('.')}"
    why = (change or {}).get("undefined_because") or "no pair of annotators has both"
    return f"; rescaled τ {_two(rescaled['value'])}, and the change is not defined: {why.rstrip('.')}"


def _between(interval: list[float] | None, frame: str = " (95\u00a0% interval{})") -> str:
    text = f" {_two(interval[0])} to {_two(interval[1])}" if interval else " not defined"
    return frame.format(text) if frame else text


def _p(value: float) -> str:
    return f", corrected p {'< 0.001' if value < 0.001 else format(value, '.3f')}"


def _two(value: float) -> str:
    return decimal(value, 2)
