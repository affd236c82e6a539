"""Releases, what was found in them, links and comparisons as they are sent and given."""

from dataclasses import asdict
from datetime import date
from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from annotation_platform.accounts.language import in_language
from annotation_platform.api.frame.serializers import LARGEST_KEY, Input, Output, choice, names_of
from annotation_platform.api.jobs.serializers import address_of
from annotation_platform.core.reasons import Reason
from annotation_platform.jobs.rows import JobStatus
from annotation_platform.releases.freeze.archive import files_in
from annotation_platform.releases.freeze.changes import Changes
from annotation_platform.releases.freeze.forms import LICENCES
from annotation_platform.releases.freeze.packing import why_not_packed
from annotation_platform.releases.freeze.participants import MOST_COLUMNS
from annotation_platform.releases.freeze.services import MOST_DAYS, MOST_WORDS, token_of
from annotation_platform.releases.models import Comparison, DownloadLink, Finding, Release, is_over

LONGEST_AUTHORS, LONGEST_DESCRIPTION = 2_000, 4_000


class ReleaseRead(Output):
    number = serializers.IntegerField(help_text="In the study.")
    title = serializers.CharField()
    description = serializers.CharField()
    authors = serializers.ListField(child=serializers.CharField())
    licence = serializers.CharField()
    state = choice(JobStatus.values, help_text="draft: what was found waits to be settled; done: it is frozen.")
    with_prompts = serializers.BooleanField()
    with_replies = serializers.BooleanField()
    participant_columns = serializers.ListField(
        child=serializers.CharField(), help_text="Of Prolific's file of participants, what is said of annotators."
    )
    embargo_until = serializers.DateField(allow_null=True)
    error = serializers.CharField(allow_null=True)
    digest = serializers.CharField(help_text="SHA-256 of its manifest; empty until it is frozen.")
    size = serializers.IntegerField(help_text="Bytes.")
    code_version = serializers.CharField()
    created_at = serializers.DateTimeField()
    frozen_at = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    withdrawn_because = serializers.CharField()
    not_packed = serializers.CharField(
        allow_null=True,
        help_text="Why the ZIP file has its files as they are; asking for the ZIP file has deflating them tried again.",
    )
    job = serializers.CharField(help_text="Address of its job.")
    file = serializers.CharField(allow_null=True, help_text="Address of the whole as a ZIP file, while it is there.")


class FindingRead(Output):
    id = serializers.IntegerField()
    kind = choice(Finding.Kind.values)
    text = serializers.CharField()
    times = serializers.IntegerField(help_text="In how many texts; of groups: how many annotators.")
    example = serializers.CharField(help_text="Where it stands first; of groups: the smallest.")
    verdict = choice(Finding.Verdict.values)


class FileRead(Output):
    path = serializers.CharField()
    size = serializers.IntegerField()
    address = serializers.CharField()


class ReleaseWithParts(ReleaseRead):
    findings = FindingRead(many=True, help_text="What may say who somebody is; while it is a draft.")
    files = FileRead(many=True, help_text="While it is frozen.")


RELEASE_FIELDS = names_of(ReleaseRead)
_OWN = {"authors", "state", "error", "not_packed", "job", "file"}


def told(request: Request, release: Release) -> dict[str, Any]:
    """A release, which comes with its ``study``."""
    row = {field: getattr(release, field) for field in RELEASE_FIELDS if field not in _OWN}
    file = _address(request, "api_release_file", release)
    why = why_not_packed(release) if release.is_frozen else ""
    return row | {
        "authors": release.authors.splitlines(),
        "state": release.status,
        "error": in_language(release.error) if release.error else None,
        "not_packed": in_language(why) if why else None,
        "job": address_of(request, release),
        "file": file if release.is_frozen else None,
    }


def told_with_parts(request: Request, release: Release) -> dict[str, Any]:
    is_draft = release.status == JobStatus.DRAFT
    there = files_in(release.folder) if release.is_frozen and release.folder.is_dir() else []
    return told(request, release) | {
        "findings": [_finding(each) for each in release.findings.all()] if is_draft else [],
        "files": [
            {"path": path, "size": size, "address": _address(request, "api_release_part", release, path)}
            for path, size in there
        ],
    }


def _finding(found: Finding) -> dict[str, Any]:
    return {"id": found.pk} | {name: getattr(found, name) for name in names_of(FindingRead) if name != "id"}


def _address(request: Request, name: str, release: Release, *more: str) -> str:
    return request.build_absolute_uri(reverse(name, args=[release.study.slug, release.number, *more]))


class NewRelease(Input):
    title = serializers.CharField(max_length=200)
    authors = serializers.ListField(
        child=serializers.CharField(max_length=200), min_length=1, max_length=100, help_text="Each as “Family, Given”."
    )
    licence = serializers.ChoiceField(choices=LICENCES)
    description = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=LONGEST_DESCRIPTION, help_text="What it is about."
    )
    with_prompts = serializers.BooleanField(
        required=False, default=True, help_text="Also what language models were asked, with the texts they were shown."
    )
    with_replies = serializers.BooleanField(
        required=False, default=False, help_text="Also what language models replied, word by word."
    )
    participant_columns = serializers.ListField(
        child=serializers.CharField(max_length=100),
        required=False,
        default=list,
        max_length=MOST_COLUMNS,
        help_text="Columns kept of Prolific's file of participants that the annotators' table is to have, too.",
    )
    participants_agreed = serializers.BooleanField(
        required=False, default=False, help_text="That they agreed that these columns are published; needed for any."
    )
    embargo_until = serializers.DateField(
        required=False, allow_null=True, default=None, help_text="Day of UTC before which no link or right lets in."
    )
    after = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=LARGEST_KEY,
        help_text="Number of the last release that you know of, 0 for none; 409 where there is a newer one.",
    )

    def validate_embargo_until(self, until: date | None) -> date | None:
        if until is not None and is_over(until):
            raise serializers.ValidationError(in_language(Reason("api.day_over")))
        return until

    def validate_authors(self, authors: list[str]) -> str:
        """One a line, as they are stored."""
        lines = "\n".join(" ".join(each.split()) for each in authors)
        if len(lines) > LONGEST_AUTHORS:
            raise serializers.ValidationError(in_language(Reason("api.too_long", most=LONGEST_AUTHORS)))
        return lines


class VerdictSent(Input):
    id = serializers.IntegerField(min_value=1, max_value=LARGEST_KEY, help_text="Of the finding.")
    verdict = choice(Finding.Verdict.values)


class Verdicts(Input):
    verdicts = VerdictSent(many=True, help_text="Of some findings or all.")


class Why(Input):
    because = serializers.CharField(max_length=MOST_WORDS, help_text="Whoever comes for the release reads it.")


class MovedRead(Output):
    aspect = serializers.CharField(help_text="Its title; empty: a figure of the study as a whole.")
    figure = serializers.CharField()
    change = choice(("moved", "new", "gone"), help_text="new, gone: only one of the two releases has it.")
    before = serializers.FloatField(allow_null=True)
    after = serializers.FloatField(allow_null=True)
    before_interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    after_interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class GoneRead(Output):
    excluded = serializers.IntegerField(help_text="Their annotator was excluded.")
    rejected = serializers.IntegerField(help_text="Their task was rejected.")
    item = serializers.IntegerField(help_text="Their item is not in the later release.")
    other = serializers.IntegerField(help_text="Set aside, withdrawn or not counted for another reason.")


class ChangesRead(Output):
    before = serializers.IntegerField(help_text="Number of the earlier release.")
    after = serializers.IntegerField()
    added = serializers.IntegerField(help_text="Judgments that only the later one has.")
    changed = serializers.IntegerField(help_text="Judgments that say something else.")
    gone = serializers.IntegerField(help_text="Judgments that only the earlier one has.")
    gone_because = GoneRead(help_text="The same by why they are gone.")
    items_added = serializers.IntegerField(help_text="Items that only the later one has, judged or not.")
    items_gone = serializers.IntegerField()
    moved = MovedRead(many=True, help_text="Figures that moved, came or went; none of single annotators.")
    not_compared = serializers.ListField(
        child=serializers.CharField(), help_text="Titles of the kinds of figures that the two have in different forms."
    )


def told_changes(comparison: Comparison, found: Changes) -> dict[str, Any]:
    return {"before": comparison.before.number, "after": comparison.after.number} | asdict(found)


class LinkRead(Output):
    id = serializers.IntegerField()
    note = serializers.CharField()
    downloads = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    link = serializers.CharField(allow_null=True, help_text="What to hand out, while it lets somebody in.")


LINK_FIELDS = names_of(LinkRead)


def told_link(request: Request, link: DownloadLink) -> dict[str, Any]:
    address = request.build_absolute_uri(reverse("shared_release", args=[token_of(link)]))
    row = {field: getattr(link, field) for field in LINK_FIELDS if field not in ("id", "link")}
    return {"id": link.pk} | row | {"link": address if link.is_open else None}


class NewLink(Input):
    days = serializers.IntegerField(required=False, default=30, min_value=1, max_value=MOST_DAYS)
    note = serializers.CharField(required=False, default="", allow_blank=True, max_length=120)
