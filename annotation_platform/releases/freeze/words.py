"""What a release says of itself: data card, datasheet, citation, changes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.db.models import Count, Max, Min
from django.utils.translation import override

from annotation_platform.annotations.models import Annotation
from annotation_platform.core.text import counted
from annotation_platform.releases.freeze.adjudications import decided_in
from annotation_platform.releases.freeze.asked import PROMPTS, REPLIES, files_asked
from annotation_platform.releases.freeze.changes import changes_since_last
from annotation_platform.releases.freeze.datasheet import datasheet
from annotation_platform.releases.freeze.facts import removed_from, without
from annotation_platform.releases.freeze.item_scores import scores_of_items
from annotation_platform.releases.freeze.marked import has_spans
from annotation_platform.releases.freeze.meanings import meaning_of
from annotation_platform.releases.freeze.participants import PREFIX, in_aggregate
from annotation_platform.releases.freeze.spoken import has_turns
from annotation_platform.releases.models import Release
from annotation_platform.releases.selectors.columns import Kind
from annotation_platform.releases.selectors.query import ExportQuery

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
        said = {
            "README.md": data_card(release, figures, query, counts),
            "datasheet.md": datasheet(release, counts),
            "CHANGES.md": changes_since_last(release, folder),
        }
        return {**without(said, removed_from(release)), "CITATION.cff": citation(release)}


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
            f"{counted(counts['judgments'], 'judgment')} of {counted(counts['items'], 'item')} by "
            f"{counted(counts['annotators'], 'annotator')}, under the scheme “{scheme.title}”.\n",
            *_annotators(release, counts["annotators"]),
            "## Files\n",
            *_files(release),
            "\n## Columns of the judgments\n",
            *(
                f"- `{column.name}`: {', '.join(filter(None, (KINDS[column.kind], meaning_of(column, scheme))))}"
                for column in query.columns
            ),
            "\n## Agreement\n",
            *_agreement(figures),
            "\n## Licence and citation\n",
            f"{release.licence}. Cite it as `CITATION.cff` says.\n",
            "## Whether it is whole\n",
            "`python3 verify.py` checks every file by its SHA-256; the manifest lists them.\n",
        ]
    )


def _annotators(release: Release, annotators: int) -> Iterator[str]:
    if release.participant_columns:
        yield f"## Annotators\n\nWhat Prolific says of those who agreed; `data/annotators.csv` has it by `{PREFIX}…`.\n"
        yield from in_aggregate(release, annotators)
        yield ""


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
    if scores_of_items(release).exists():
        yield "- `data/scores.*`: what scoring runs say of items, a row for each label or measure, with its run"
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


def _agreement(figures: Mapping[str, Any]) -> Iterator[str]:
    for aspect in figures["aspects"]:
        found = (aspect.get("krippendorff_alpha") or {}).get("raw") or {}
        value, interval, n = found.get("value"), found.get("interval"), found.get("items")
        if value is None:
            yield f"- {aspect['title']}: α is not defined: {found.get('undefined_because') or 'it was not measured.'}"
        else:
            between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
            beside = found.get("caution") or ("" if interval else f"No interval: {found['no_interval_because']}")
            yield f"- {aspect['title']}: Krippendorff's α {value:.3f}{between}, {n:,} items. {beside}".rstrip()


def _yaml(found: Any) -> str:
    return str(yaml.safe_dump(found, allow_unicode=True, sort_keys=False, width=1_000))
