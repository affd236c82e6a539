"""The description for programs: Croissant 1.0, JSON-LD, with every column of the data as a field."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation_platform.releases.freeze import adjudications, item_scores, marked, spoken
from annotation_platform.releases.models import Release
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.selectors.query import ExportQuery

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
BESIDE = {  # tables that not every release has: name → path and columns
    "adjudications": (adjudications.PATH, [Column(name, kind, "") for name, kind in adjudications.KINDS.items()]),
    "scores": (item_scores.PATHS[0], [Column(name, kind, "") for name, kind in item_scores.KINDS.items()]),
    "turns": (spoken.PATH, [Column(name, kind, "") for name, kind in spoken.KINDS.items()]),
    "spans": (marked.PATH, [Column(name, kind, "") for name, kind in marked.KINDS.items()]),
}
TYPES = {Kind.INTEGER: "sc:Integer", Kind.NUMBER: "sc:Float", Kind.TIME: "sc:DateTime"}


def croissant(release: Release, query: ExportQuery, checksums: Mapping[str, str]) -> dict[str, Any]:
    """``checksums``: path → SHA-256 of the files that are written already."""
    beside = {name: columns for name, (path, columns) in BESIDE.items() if path in checksums}
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.study.slug,
        "description": release.description or release.title,
        "license": f"https://spdx.org/licenses/{release.licence}.html",
        "url": f"urn:sha256:{checksums['data/judgments.csv']}",
        "version": f"{release.number}.0.0",
        "datePublished": f"{release.at:%Y-%m-%d}",
        "citeAs": f"{'; '.join(release.authors.splitlines())}: {release.title}, release {release.number}.",
        "creator": [{"@type": "sc:Person", "name": line.strip()} for line in release.authors.splitlines()],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"{name}.csv",
                "name": f"{name}.csv",
                "contentUrl": f"data/{name}.csv",
                "encodingFormat": "text/csv",
                "sha256": checksums[f"data/{name}.csv"],
            }
            for name in ("judgments", "items", *beside)
        ],
        "recordSet": [
            _record_set("judgments", query.columns),
            _record_set("items", query.candidates.columns),
            *(_record_set(name, columns) for name, columns in beside.items()),
        ],
    }


def _record_set(name: str, columns: Sequence[Column]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "dataType": TYPES.get(column.kind, "sc:Text"),
                "source": {"fileObject": {"@id": f"{name}.csv"}, "extract": {"column": column.name}},
            }
            for column in columns
        ],
    }
