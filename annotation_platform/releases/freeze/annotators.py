"""Annotators as a release knows them: other names in each release, and how much each did."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Any

from django.db.models import Avg, Count

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.freeze.facts import without
from annotation_platform.releases.freeze.participants import PREFIX
from annotation_platform.releases.models import Pseudonym, Release
from annotation_platform.releases.services.tables import csv_lines
from annotation_platform.studies.models import Member


def new_key() -> str:
    return secrets.token_hex(32)


def name_annotators(release: Release) -> None:
    """Give everybody whose judgments are in the release a name, in an order that says nothing about them."""
    judged = Annotation.objects.closed().filter(item__study=release.study).values("annotator")
    members = Member.objects.filter(pk__in=judged).values_list("pk", flat=True)
    in_order = in_drawn_order(release, members)
    width = max(len(str(len(in_order))), 2)
    release.pseudonyms.all().delete()
    Pseudonym.objects.bulk_create(
        Pseudonym(release=release, member_id=pk, pseudonym=f"annotator-{number:0{width}d}")
        for number, pk in enumerate(in_order, start=1)
    )


def in_drawn_order(release: Release, members: Iterable[int]) -> list[int]:
    """Members by a number that only this release gives them, so that no order tells who is who of another one."""
    return sorted(members, key=lambda pk: _shuffled(release, pk))


def names_of(release: Release) -> dict[str, str]:
    """What the study calls each annotator → what the release does."""
    return dict(release.pseudonyms.values_list("member__pseudonym", "pseudonym"))


def annotator_rows(release: Release, removed: Iterable[str]) -> str:
    """CSV: each annotator by the release's name, their judgments, their mean seconds for one, and what is said of them
    in the columns of participants that the release has; empty where nothing is."""
    names = dict(release.pseudonyms.values_list("member", "pseudonym"))
    counts = (
        Annotation.objects.closed()
        .filter(item__study=release.study)
        .order_by()
        .values("annotator")
        .annotate(judgments=Count("pk"), seconds=Avg("seconds"))
    )
    columns, participants = release.participant_columns, without(release.facts.get("participants", {}), removed)
    rows = sorted((names[each["annotator"]], each["annotator"], each["judgments"], each["seconds"]) for each in counts)
    table: list[list[Any]] = [["annotator", "judgments", "mean_seconds", *(f"{PREFIX}{name}" for name in columns)]]
    for name, member, judgments, seconds in rows:
        said = participants.get(str(member), {})
        mean = "" if seconds is None else f"{seconds:.1f}"
        table.append([name, judgments, mean, *(said.get(column, "") for column in columns)])
    return "".join(csv_lines(table))


def _shuffled(release: Release, member: int) -> str:
    return hmac.new(bytes.fromhex(release.pseudonym_key), str(member).encode(), hashlib.sha256).hexdigest()
