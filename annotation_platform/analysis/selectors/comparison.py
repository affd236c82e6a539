"""Two snapshots of a study beside each other: what differs in what they rest on, and every figure then and now."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.selectors.snapshots import sections_of
from annotation_platform.analysis.selectors.tables.base import Column, FigureTable, Row
from annotation_platform.core.errors import NotThereError
from annotation_platform.studies.models import Study

# The sections whose figures are compared one by one, as they are called on the page.
COMPARED = {
    "pairwise_tau": "τ",
    "krippendorff_alpha": "Krippendorff α",
    "fleiss_kappa": "Fleiss κ",
    "label_distribution": "Share of label",
    "mean_by_label": "Mean score of label",
    "mean_by_system": "Mean of system",
    "annotators": "Annotator",
}
NAMES = ("name", "system", "label", "key")  # what an entry of a list is told apart by
NOT_SHOWN = {"mean", "change", "overall", "annotators", "labels", "All"}  # of a path: it goes without saying


def snapshots_of(study: Study) -> QuerySet[AgreementSnapshot]:
    """Every snapshot of a study, the newest first, without its figures."""
    return AgreementSnapshot.objects.filter(study=study).order_by("-pk")


def snapshot_for(study: Study, pk: str | None) -> AgreementSnapshot:
    """One snapshot of a study by its key, as the address gives it.

    Raises
    ------
    NotThereError
        When there is none.
    """
    found = snapshots_of(study).filter(pk=pk).first() if pk and pk.isdecimal() else None
    if found is None:
        raise NotThereError("This study has no such snapshot.")
    return found


def before(snapshot: AgreementSnapshot) -> AgreementSnapshot | None:
    """The snapshot that was taken before this one."""
    return AgreementSnapshot.objects.filter(study=snapshot.study_id, pk__lt=snapshot.pk).order_by("-pk").first()


def what_differs(then: AgreementSnapshot, now: AgreementSnapshot) -> list[str]:
    """What the two rest on, where it is not the same: data, run, scheme, code, resampling. Empty: all is the same."""
    old, new = then.head, now.head
    found = []
    if old["scheme"] != new["scheme"]:
        found.append(f"The scheme was {old['scheme']} and is {new['scheme']}.")
    if added := [number for number in new["batches"] if number not in old["batches"]]:
        found.append(f"{_batches(added)} closed in between.")
    if removed := [number for number in old["batches"] if number not in new["batches"]]:
        found.append(f"{_batches(removed)} counted then and not now.")
    for key, name in (("judgments", "Judgments"), ("items", "Items"), ("annotators", "Annotators")):
        counted = old["counts"].get(key, 0), new["counts"].get(key, 0)
        if counted[0] != counted[1]:
            found.append(f"{name}: {counted[0]:,} then, {counted[1]:,} now.")
    digests = old["data"]["judgments_sha256"], new["data"]["judgments_sha256"]
    common = digests[0].keys() & digests[1].keys()
    if not found and old["run"] == new["run"] and any(digests[0][key] != digests[1][key] for key in common):
        found.append("There are as many judgments as before, and some of them are others.")
    if (old["run"] or {}).get("signature") != (new["run"] or {}).get("signature"):
        found.append(f"The scores were {_run(old['run'])} and are {_run(new['run'])}.")
    if then.code_version != now.code_version:
        found.append(f"Computed by version {then.code_version} then and {now.code_version} now.")
    for key in ("seed", "resamples"):
        if old["intervals"][key] != new["intervals"][key]:
            found.append(f"Intervals: {key} {old['intervals'][key]} then, {new['intervals'][key]} now.")
    return found


def headline_table(then: AgreementSnapshot, now: AgreementSnapshot) -> FigureTable:
    """α of every aspect and τ of those that are rescaled, then and now; no section is loaded."""
    earlier = {aspect["aspect"]: aspect for aspect in then.head["headline"]["aspects"]}
    rows: list[Row] = []
    for aspect in now.head["headline"]["aspects"]:
        was = earlier.get(aspect["aspect"], {})
        figures = {"Krippendorff α": "alpha", "τ": "raw", "τ, rescaled": "rescaled"}
        for name, key in figures.items():
            if key == "alpha" or aspect["is_rescaled"]:
                rows += _rows([aspect["title"], name], was.get(key), aspect.get(key))
    return _table(rows, "Main figures, then and now")


def compared_table(then: AgreementSnapshot, now: AgreementSnapshot, aspect: str) -> FigureTable:
    """Every figure of one aspect, then and now.

    Raises
    ------
    NotThereError
        When one of the two has no such aspect.
    """
    old, new = (dict(_figures(sections_of(one, COMPARED, aspect=aspect))) for one in (then, now))
    rows: list[Row] = []
    for path in dict.fromkeys([*new, *old]):
        rows += _rows([*path], old.get(path), new.get(path))
    return _table(rows, "Figures, then and now")


def _figures(sections: Row) -> Iterator[tuple[tuple[str, ...], Row]]:
    for key, name in COMPARED.items():
        yield from _walk((name,), sections.get(key))


def _walk(path: tuple[str, ...], data: Any) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Every figure in a section, by the names on the way to it."""
    if isinstance(data, list):
        for each in data:
            name = next((each[key] for key in NAMES if isinstance(each, dict) and each.get(key)), None)
            yield from _walk(path if name is None else (*path, str(name)), each)
    elif isinstance(data, dict):
        if "value" in data or "share" in data:
            yield path, data
        if "value" not in data:
            for key, each in data.items():
                if isinstance(each, dict | list):
                    yield from _walk(path if key in NOT_SHOWN - {"change"} else (*path, key.replace("_", " ")), each)


def _rows(names: list[str], then: Row | None, now: Row | None) -> list[Row]:
    """A row, or none where neither has a value. A change is marked where the interval of then leaves out now."""
    was, is_now = (_value(figure) for figure in (then, now))
    if was is None and is_now is None:
        return []
    low, high = (then or {}).get("interval") or (None, None)
    change = None if was is None or is_now is None else is_now - was
    is_beyond = low is not None and is_now is not None and high is not None and not low <= is_now <= high
    remark = "beyond the interval of then" if is_beyond and change else ""
    if was is None:
        remark = "new"
    elif is_now is None:
        remark = "not defined any more" if now else "not there any more"
    return [
        {"figure": " · ".join(names), "then": was, "then_low": low, "then_high": high, "now": is_now}
        | {"change": change, "remark": remark}
        | {"now_low": None, "now_high": None}
        | dict(zip(("now_low", "now_high"), (now or {}).get("interval") or (None, None), strict=True))
    ]


def _value(figure: Row | None) -> float | None:
    found: float | None = None if figure is None else figure.get("value", figure.get("share"))
    return found


def _table(rows: list[Row], title: str) -> FigureTable:
    changed = [row for row in rows if row["change"]]
    beyond = sum(bool(row["remark"]) for row in rows)
    reading = f"{len(changed)} of {len(rows)} figures changed"
    far = f"{beyond} of all lie beyond the interval of then, are new, or are gone" if beyond else "none of them by much"
    reading += f"; {far}."
    return FigureTable(
        name="compared",
        title=title,
        reading=reading if changed or beyond else "No figure has changed.",
        columns=[
            Column("figure", "Figure"),
            Column("then", "Then", "value", True),
            Column("now", "Now", "value", True),
            Column("change", "Change", "value"),
            Column("remark", "Remark"),
        ],
        rows=rows,
    )


def _batches(numbers: list[int]) -> str:
    return f"Batch {numbers[0]}" if len(numbers) == 1 else f"Batches {', '.join(map(str, numbers))}"


def _run(run: Row | None) -> str:
    return "not there yet" if run is None else f"those of {run['method']}, {run['scorer']} ({run['signature'][:8]})"
