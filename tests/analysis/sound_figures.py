"""What no stored figure may say: a walk over everything that a snapshot holds.

A value lies in its interval, both within what is possible, and p is below .05 exactly where the interval leaves out
what p is about.
"""

import re
from collections.abc import Iterator
from typing import Any

from annotation_platform.analysis.models import AgreementSnapshot
from annotation_platform.analysis.snapshots.stored import FIGURES

Ends = tuple[float, float]
SHARE, COEFFICIENT, ANYTHING, COUNT = (0.0, 1.0), (-1.0, 1.0), (-float("inf"), float("inf")), (0.0, float("inf"))
CHANGE = (-2.0, 2.0)
SLACK = 1e-9

# Of the place in a snapshot, as section.….key: what is possible there. "scale" is the aspect's own, "apart" the
# difference of two of its numbers. The first that is found is it; a figure that none is found for is a fault.
POSSIBLE: tuple[tuple[str, Ends | str], ...] = (
    (r"^annotators\..*\.(consistency|same_label)$", SHARE),
    (r"^annotators\..*\.leniency$", "apart"),
    (r"^annotators\..*\.leniency_rescaled$", (-100.0, 100.0)),
    (r"^annotators\..*\.shift$", (-200.0, 200.0)),
    (r"^(cohen_kappa|fleiss_kappa|gwet_ac|annotators\..*\.tau(_rescaled)?$)", COEFFICIENT),
    (r"^(krippendorff_alpha|pairwise_tau|pairs_\w+|variants)\b.*change(\.\w+)?$", CHANGE),
    (r"^intraclass_correlation.*change$", ANYTHING),
    (r"^intraclass_correlation.*icc_2_k", (-float("inf"), 1.0)),
    (r"^intraclass_correlation", COEFFICIENT),
    (r"^krippendorff_alpha|^pairwise_tau|^pairs_", COEFFICIENT),
    (r"^percent_agreement|^label_distribution|^labels_by_part|^consensus", SHARE),
    (r"^equivalence\.all_differences", COEFFICIENT),
    (r"^equivalence", SHARE),
    (r"^human_llm.*\.(accuracy|advantage|confusion)$", SHARE),
    (r"^human_llm.*\.lead$", COEFFICIENT),
    (r"^human_llm.*\.change$", CHANGE),
    (r"^human_llm.*\.(raters|expected|spearman|r)$", COEFFICIENT),
    (r"^human_llm.composites", ANYTHING),
    (r"^judges.*\.(leniency|first|last)$", COEFFICIENT),
    (r"^judges.*\.(own_family|japanese)$", CHANGE),
    (r"^judges.*\.(same_label|all_labels|advantage)$", SHARE),
    (r"^judges.*\.lead$", COEFFICIENT),
    (r"^judges.*\.length$", ANYTHING),
    (r"^mean_by_label", (0.0, 100.0)),
    (r"^mean_by_system.*rescaled", (0.0, 100.0)),
    (r"^mean_by_system", "scale"),
    (r"^system_differences.*rescaled", (-100.0, 100.0)),
    (r"^system_differences", "apart"),
    (r"^number_of_raters.*\.(gain|change)$", CHANGE),
    (r"^number_of_raters.*reliability", SHARE),
    (r"^number_of_raters", COEFFICIENT),
    (r"^powered\.judges.*\.differences", "apart"),
    (r"^powered\.judges", "scale"),
    (r"^powered\.scores.*\.differences", (-100.0, 100.0)),
    (r"^powered\.scores", (0.0, 100.0)),
    (r"^preferences.*\.strength$", ANYTHING),
    (r"^preferences", SHARE),
    (r"^rev.*\.(las|rq|with_people)$", COEFFICIENT),
    (r"^rev.*\.people$", (-1.0, 3.0)),
    (r"^rev", ANYTHING),
    (r"^sentences.*\.alpha", COEFFICIENT),
    (r"^sentences.*\.cited$", COUNT),
    (r"^sentences", SHARE),
    (r"^spans.*\.alpha$", COEFFICIENT),
    (r"^spans.*\.per_reading$", COUNT),
    (r"^spans", SHARE),
    (r"^variants.*\.classes", (0.0, 100.0)),
    (r"^variants.*\.(reversed|tied|nuance)$", SHARE),
    (r"^variants.*\.spread$", COUNT),
    (r"^variants.*comparisons", CHANGE),
    (r"^variants", COEFFICIENT),
    (r"^work.*vacuous$", SHARE),
    (r"^work", ANYTHING),
)
OF_ONE_HALF = r"^preferences.*(pairs|first_shown|effects)"


def faults(snapshot: AgreementSnapshot) -> list[str]:
    """Of all that is stored; empty where there are none."""
    ends = {head.aspect: _numbers(head.labels) for head in snapshot.head.aspects}
    found: list[str] = []
    for row in snapshot.sections.all():
        stored = FIGURES[row.key].to_stored(FIGURES[row.key].from_stored(row.figures))
        found += [*faults_of(row.key, stored, row.aspect, ends), *odd_neighbours(stored, row.key)]
    return found


def odd_neighbours(stored: Any, path: str) -> Iterator[str]:
    """What cannot stand side by side: an estimate with a model wider than people alone, effective numbers that are
    none, ranks beyond the number of systems."""
    if isinstance(stored, list):
        for number, each in enumerate(stored):
            yield from odd_neighbours(each, f"{path}[{number}]")
    if not isinstance(stored, dict):
        return
    alone, both = (stored.get(name) for name in ("people", "both"))
    both = both or (stored if "effective" in stored else None)
    if isinstance(alone, dict) and both and alone.get("interval") and both.get("interval"):
        widths = [high - low for low, high in (alone["interval"], both["interval"])]
        if widths[1] > widths[0] + SLACK * max(widths[0], 1):
            yield f"{path}: {both['interval']} is wider than people alone, {alone['interval']}"
    if (effective := stored.get("effective")) is not None and not 0 < effective < float("inf"):
        yield f"{path}: {effective} effective judgments"
    shares = stored.get("rank_shares")
    if shares and (abs(sum(shares) - 1) > SLACK or not 1 <= (stored["rank"] or 1) <= len(shares)):
        yield f"{path}: rank {stored['rank']} of {shares}"
    if (ranks := stored.get("ranks")) and not 1 <= ranks[0] <= stored["rank"] <= ranks[1]:
        yield f"{path}: rank {stored['rank']} is not in {ranks}"
    for key, each in stored.items():
        yield from odd_neighbours(each, f"{path}.{key}")


def _numbers(labels: Any) -> Ends | None:
    known = [label.number for label in labels if label.number is not None]
    return (min(known), max(known)) if known else None


def faults_of(section: str, figures: Any, aspect: str, ends: dict[str, Ends | None]) -> Iterator[str]:
    for path, names, value, interval, p_value in _told(figures, (section,)):
        place = ".".join(names)
        of = next((part for part in names if part in ends), aspect)
        possible = next((each for pattern, each in POSSIBLE if re.search(pattern, place)), None)
        if isinstance(possible, str):
            scale = ends.get(of)
            width = 0.0 if scale is None else scale[1] - scale[0]
            possible = None if scale is None else scale if possible == "scale" else (-width, width)
        if value is None and interval is None:
            continue
        if possible is None:
            yield f"{path}: nobody says what is possible"
            continue
        low, high = possible
        if interval is not None:
            if not low - SLACK * 100 <= interval[0] <= interval[1] <= high + SLACK * 100:
                yield f"{path}: {interval} leaves {possible}"
            if value is not None and not interval[0] - SLACK <= value <= interval[1] + SLACK:
                yield f"{path}: {value} is not in {interval}"
            null = 0.5 if re.search(OF_ONE_HALF, place) else 0.0
            leaves_it_out = interval[0] > null or interval[1] < null
            if p_value is not None and abs(p_value - 0.05) > SLACK and leaves_it_out != (p_value < 0.05):
                yield f"{path}: p = {p_value} beside {interval}"
        elif p_value is not None:
            yield f"{path}: p = {p_value} without an interval"
        if value is not None and not low - SLACK * 100 <= value <= high + SLACK * 100:
            yield f"{path}: {value} is not within {possible}"


Told = tuple[str, tuple[str, ...], float | None, list[float] | None, float | None]


def _told(stored: Any, names: tuple[str, ...], path: str = "") -> Iterator[Told]:
    """Every figure with its place, value, interval and p."""
    path = path or names[0]
    if isinstance(stored, list):
        for number, each in enumerate(stored):
            yield from _told(each, names, f"{path}[{number}]")
    if not isinstance(stored, dict):
        return
    p_value = stored.get("p_value")
    if "interval" in stored:
        value = stored.get("value", stored.get("share"))
        if isinstance(value, int | float | None):
            yield path, names, value, stored["interval"], p_value
    for name in ("raw", "rescaled", "change", "right"):
        if f"{name}_interval" in stored:
            of_it = p_value if name == "change" else None
            yield f"{path}.{name}", (*names, name), stored[name], stored[f"{name}_interval"], of_it
    if "for_others" in stored and stored["for_others"] and "interval" in stored:
        others = stored["for_others"]
        value = stored.get("value", stored.get("share"))
        yield f"{path}.for_others", names, value, others["interval"], others.get("p_value")
        narrow, wide = stored["interval"], others["interval"]
        if narrow and wide:
            yield f"{path} in for_others", names, narrow[0], wide, None
            yield f"{path} in for_others", names, narrow[1], wide, None
    for key, each in stored.items():
        if key != "for_others":
            yield from _told(each, (*names, key), f"{path}.{key}")
