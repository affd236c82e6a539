"""What the page Human and LLM, its charts and its stored figures say of a study, and who its people are."""

import json
from html import unescape
from typing import Any

from django.urls import reverse

from annotation_platform.analysis.models import SnapshotSection
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.studies.models import Member, Study
from tests.analysis.study_rows import assert_hovering_tells_the_interval, client_of


def person(member: Member) -> int:
    return ord(member.pseudonym) - ord("A")


def figures(study: Study) -> dict[str, Any]:
    snapshot = take_snapshot(study=study, resamples=200)
    found: dict[str, Any] = SnapshotSection.objects.get(snapshot=snapshot, key="human_llm").figures
    return found


def page(study: Study, **query: str) -> str:
    address = reverse("agreement_human_llm", kwargs={"slug": study.slug})
    return unescape(client_of(study).get(address, query).content.decode())


def check_chart(study: Study, name: str, aspect: str) -> None:
    client = client_of(study)
    for kind in ("json", "svg"):
        response = client.get(
            reverse("chart", kwargs={"slug": study.slug, "aspect": aspect, "name": name, "kind": kind})
        )
        assert response.status_code == 200
        if kind == "json":
            spec = json.loads(response.content)
            assert spec["description"]
            assert_hovering_tells_the_interval(spec)
