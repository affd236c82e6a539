"""What a release says of itself: data card, datasheet, citation, changes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.db.models import Count, Max, Min
from django.utils.translation import override

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.schemes import Scheme
from annotation_platform.crowd.consent.models import ConsentText
from annotation_platform.crowd.pay.models import PayTerms
from annotation_platform.crowd.pay.money import plain
from annotation_platform.releases.freeze.adjudications import decided_in
from annotation_platform.releases.freeze.asked import PROMPTS, REPLIES, files_asked
from annotation_platform.releases.freeze.changes import changes_since_last
from annotation_platform.releases.freeze.marked import has_spans
from annotation_platform.releases.freeze.spoken import has_turns
from annotation_platform.releases.models import Finding, Release
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.selectors.query import ExportQuery
from annotation_platform.studies.models import Member, SetAside

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
KINDS = {
    Kind.TEXT: "text",
    Kind.INTEGER: "integer",
    Kind.NUMBER: "number",
    Kind.TIME: "time in UTC",
    Kind.NUMBERS: "list of integers",
    Kind.WORDS: "list of words",
}


def texts_of(release: Release, figures: Mapping[str, Any], query: ExportQuery, folder: Path) -> dict[str, str]:
    """Path → text; ``folder`` has the data already."""
    counts = _counts(release)
    with override(settings.LANGUAGE_CODE):  # the files of a release are in English, whoever asked for it
        return {
            "README.md": data_card(release, figures, query, counts),
            "datasheet.md": datasheet(release, counts),
            "CITATION.cff": citation(release),
            "CHANGES.md": changes_since_last(release, folder),
        }


def data_card(release: Release, figures: Mapping[str, Any], query: ExportQuery, counts: dict[str, Any]) -> str:
    """The README, with front matter as dataset hubs read it, so that ``datasets.load_dataset(FOLDER)`` works."""
    scheme = release.study.scheme()
    front = {
        "pretty_name": release.title,
        "license": release.licence.lower(),
        "language": [release.study.corpus.language],
        "size_categories": [next((name for most, name in SIZES if counts["judgments"] < most), "n>1M")],
        "tags": ["human-evaluation", "annotations", "rationales"],
        "configs": [
            {"config_name": name, "default": name == "judgments", "data_files": f"data/{name}.parquet"}
            for name in ("judgments", "items")
        ],
    }
    return "\n".join(
        [
            f"---\n{_yaml(front)}---\n",
            f"# {release.title}\n",
            f"Release {release.number} of {release.at:%Y-%m-%d}.\n",
            *([f"{release.description.strip()}\n"] if release.description.strip() else []),
            f"{counts['judgments']:,} judgments of {counts['items']:,} items by {counts['annotators']:,} annotators, "
            f"under the scheme “{scheme.title}”.\n",
            "## Files\n",
            *_files(release),
            "\n## Columns of the judgments\n",
            *(f"- `{column.name}`: {KINDS[column.kind]}{_of_aspect(column, scheme)}" for column in query.columns),
            "\n## Agreement\n",
            *_agreement(figures),
            "\n## Licence and citation\n",
            f"{release.licence}. Cite it as `CITATION.cff` says.\n",
            "## Whether it is whole\n",
            "`python3 verify.py` checks every file by its SHA-256; the manifest lists them.\n",
        ]
    )


def datasheet(release: Release, counts: dict[str, Any]) -> str:
    """How the data came to be, as far as the platform knows it."""
    study = release.study
    lines = [
        f"# Datasheet of “{release.title}”, release {release.number}\n",
        "## Who was asked\n",
        f"{counts['annotators']:,} annotators judged, from {counts['first']:%Y-%m-%d} to {counts['last']:%Y-%m-%d}. "
        f"{study.overlap} judgments were planned for each item.\n",
        "## What they were told\n",
        f"{study.about.strip() or 'Nothing beside the words of the scheme.'}\n",
        "## What they were paid\n",
        *_paid(release),
        "## What they consented to\n",
        *_consented(release),
        "## What is left out\n",
        *_left_out(release),
        "\n## What was looked for before the freeze\n",
        *_settled(release),
    ]
    return "\n".join(lines) + "\n"


def citation(release: Release) -> str:
    """CITATION.cff, format 1.2.0."""
    authors = []
    for line in release.authors.splitlines():
        family, _, given = (part.strip() for part in line.partition(","))
        if family:
            authors.append({"family-names": family, "given-names": given} if given else {"name": family})
    return _yaml(
        {
            "cff-version": "1.2.0",
            "message": "If you use these data, please cite them.",
            "type": "dataset",
            "title": release.title,
            "version": str(release.number),
            "date-released": f"{release.at:%Y-%m-%d}",
            "license": release.licence,
            "authors": authors,
        }
    )


def _counts(release: Release) -> dict[str, Any]:
    judged = Annotation.objects.closed().filter(item__study=release.study)
    return judged.aggregate(
        judgments=Count("pk"),
        items=Count("item", distinct=True),
        annotators=Count("annotator", distinct=True),
        first=Min("created_at"),
        last=Max("created_at"),
    )


def _files(release: Release) -> Iterator[str]:
    yield "- `data/judgments.*`: a row for each judgment (of groups: for each candidate of a judgment)"
    yield "- `data/items.*`: a row for each item (each candidate of a group)"
    yield "- `data/annotators.csv`: annotators under names of this release only, and how much each did"
    if decided_in(release.study).exists():
        yield "- `data/adjudications.csv`: what adjudicators decided about items, beside their judgments"
    if has_spans(release.study.scheme()):
        yield "- `data/spans.csv`: a row for each span that a judgment marks, with its words"
    if has_turns(release.study.scheme()):
        yield "- `data/turns.csv`: a row for each sentence of the conversations, by the name that judgments cite it by"
    yield "- `scheme.yaml`: what was shown and asked, with the guidelines"
    yield "- `figures.json`: agreement and other figures with their intervals, and where they come from"
    yield "- `runs.json`: the scoring runs behind the scores"
    asked = {PROMPTS: "what language models were asked", REPLIES: "what they replied, by the signature of the request"}
    yield from (f"- `{path}`: {asked[path]}" for path in files_asked(release))
    yield "- `croissant.json`: the same description for programs; `datasheet.md`, `CHANGES.md`, `CITATION.cff`"
    yield "- `manifest.json`: every file with its size and SHA-256"


def _of_aspect(column: Column, scheme: Scheme) -> str:
    for aspect in scheme.aspects:
        if column.name == aspect.key:
            return f", what people answered to “{aspect.title}”"
    return ""


def _agreement(figures: Mapping[str, Any]) -> Iterator[str]:
    for aspect in figures["aspects"]:
        found = (aspect.get("krippendorff_alpha") or {}).get("raw") or {}
        value, interval, n = found.get("value"), found.get("interval"), found.get("items")
        if value is None:
            yield f"- {aspect['title']}: α is not defined"
        else:
            between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
            yield f"- {aspect['title']}: Krippendorff's α {value:.3f}{between}, {n:,} items"


def _paid(release: Release) -> Iterator[str]:
    study = release.study
    terms = list(PayTerms.objects.filter(study=study, made_at__lte=release.at).order_by("number"))
    if study.pay.strip() or not terms:
        yield f"{study.pay.strip() or 'The study does not say.'}\n"
    for each in terms:
        bonus = f", and a bonus of {each.bonus_percent} %" if each.bonus_percent else ""
        reward = f"{plain(each.reward, each.currency)} {each.currency}"
        yield f"- from {each.made_at:%Y-%m-%d}: {reward} for a task{bonus}"
    if terms:
        yield ""


def _consented(release: Release) -> Iterator[str]:
    """Each version of the text, in its languages, and how many had agreed to it when the release was frozen."""
    versions = list(ConsentText.objects.filter(study=release.study, created_at__lte=release.at).order_by("number"))
    if not versions:
        yield "No text of consent was asked for.\n"
    for each in versions:
        agreed = each.consents.filter(agreed=True, given_at__lte=release.at).count()
        yield f"Version {each.number}, of {each.created_at:%Y-%m-%d}; {agreed:,} agreed.\n"
        for language, text in sorted(each.texts.items()):
            yield f"Its words ({language}):\n"
            yield "\n".join(f"> {line}".rstrip() for line in str(text).strip().splitlines()) + "\n"


def _left_out(release: Release) -> Iterator[str]:
    excluded = Member.objects.filter(study=release.study).exclude(excluded_at=None).count()
    aside = SetAside.objects.filter(annotator__study=release.study, restored_at=None)
    rejected = aside.filter(kind=SetAside.Kind.REJECTED).count()
    yield "Judgments of batches that were not closed, and earlier revisions."
    if excluded:
        yield f"\nThe work of {excluded:,} excluded annotator{'' if excluded == 1 else 's'}."
    if rejected:
        yield f"\n{rejected:,} rejected task{'' if rejected == 1 else 's'}."


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


def _yaml(found: Any) -> str:
    return str(yaml.safe_dump(found, allow_unicode=True, sort_keys=False, width=1_000))
