"""How the data of a release came to be, as far as the platform knows it."""

from collections.abc import Iterable, Iterator
from typing import Any

from annotation_platform.crowd.pay.money import plain
from annotation_platform.releases.freeze.participants import in_aggregate
from annotation_platform.releases.models import Finding, Release
from annotation_platform.releases.selectors.query import REMOVED

LONGEST = 300  # of a finding's text


def datasheet(release: Release, counts: dict[str, Any]) -> str:
    """Of what was known when the release was frozen; ``counts`` are of its judgments."""
    study = release.study
    lines = [
        f"# Datasheet of “{release.title}”, release {release.number}\n",
        "## Who was asked\n",
        f"{counts['annotators']:,} annotators judged, from {counts['first']:%Y-%m-%d} to {counts['last']:%Y-%m-%d}. "
        f"{study.overlap} judgments were planned for each item.\n",
        *_described(release, counts["annotators"]),
        "## How they came\n",
        *_came(release.facts),
        "\n## What they were told\n",
        f"{study.about.strip() or 'Nothing beside the words of the scheme.'}\n",
        "## What they were paid\n",
        *_paid(study.pay.strip(), release.facts["pay_terms"]),
        "## What they consented to\n",
        *_consented(release.facts["consents"]),
        "## What is left out\n",
        *_left_out(release),
        "\n## What was looked for before the freeze\n",
        *_settled(release),
    ]
    return "\n".join(lines) + "\n"


def _described(release: Release, annotators: int) -> Iterator[str]:
    """What Prolific says of them, by the columns that the release has."""
    if release.participant_columns:
        yield "What Prolific says of those who agreed, and how many annotators it says it of:\n"
        yield from in_aggregate(release, annotators)
        yield ""


def _came(facts: dict[str, Any]) -> Iterator[str]:
    """By which ways annotators came, which languages were asked for, and which rounds of qualification they passed."""
    yield from (f"- {way}: {people:,}" for way, people in facts["came_by"])
    if facts["languages"]:
        yield f"\nThe study asked for people who read: {', '.join(facts['languages'])}."
    if facts["rounds"]:
        yield "\nRounds of qualification, and how many of them passed each:\n"
        yield from (f"- {title}: {people:,}" for title, people in facts["rounds"])


def _paid(said: str, terms: Iterable[dict[str, Any]]) -> Iterator[str]:
    terms = list(terms)
    if said or not terms:
        yield f"{said or 'The study does not say.'}\n"
    for each in terms:
        bonus = f", and a bonus of {each['bonus']} %" if each["bonus"] else ""
        yield f"- from {each['from']}: {plain(each['reward'], each['currency'])} {each['currency']} for a task{bonus}"
    if terms:
        yield ""


def _consented(versions: list[dict[str, Any]]) -> Iterator[str]:
    """Each version of the text, in its languages, and how many had agreed to it when the release was frozen."""
    if not versions:
        yield "No text of consent was asked for.\n"
    for each in versions:
        yield f"Version {each['number']}, of {each['from']}; {each['agreed']:,} agreed.\n"
        for language, text in sorted(each["texts"].items()):
            yield f"Its words ({language}):\n"
            yield "\n".join(f"> {line}".rstrip() for line in str(text).strip().splitlines()) + "\n"


def _left_out(release: Release) -> Iterator[str]:
    """Excluded annotators and rejected tasks by why; reasons that nobody said may stay are counted together."""
    facts = release.facts
    kept = release.findings.filter(kind=Finding.Kind.REASON, verdict=Finding.Verdict.KEPT)
    may_be_told = set(kept.values_list("text", flat=True))
    excluded, rejected = len(facts["excluded"]), sum(times for _, times in facts["rejected_because"])
    yield "Judgments of batches that were not closed, and earlier revisions."
    if excluded:
        yield f"\nThe work of {excluded:,} excluded annotator{'' if excluded == 1 else 's'}, unless it was kept:\n"
        yield from _by_reason(facts["excluded_because"], may_be_told)
    if rejected:
        yield f"\n{rejected:,} rejected task{'' if rejected == 1 else 's'}:\n"
        yield from _by_reason(facts["rejected_because"], may_be_told)


def _by_reason(reasons: Iterable[Any], may_be_told: set[str]) -> Iterator[str]:
    others = 0
    for reason, times in reasons:
        if reason[:LONGEST] in may_be_told:
            yield f"- {reason} ({times:,})"
        else:
            others += times
    if others:
        yield f"- {REMOVED} ({others:,})"


def _settled(release: Release) -> Iterator[str]:
    found = list(release.findings.order_by("kind").values_list("kind", "verdict"))
    if not found:
        yield "E-mail and web addresses, telephone numbers, identifiers of crowd platforms, names of accounts and"
        yield "pseudonyms in free text, and small groups. Nothing was found."
    for kind in Finding.Kind:
        kept = found.count((kind, Finding.Verdict.KEPT))
        removed = found.count((kind, Finding.Verdict.REMOVED))
        if kept or removed:
            yield f"- {kind.label}: {removed} replaced, {kept} left as judged harmless"
    for by, people in release.findings.filter(kind=Finding.Kind.GROUP).values_list("text", "times"):
        yield f"  - by {by}: {people} annotators"
