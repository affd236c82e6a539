"""Arize Phoenix: ``POST /v1/span_annotations?sync=true``, which replaces an annotation of the same span, name and
identifier; ``sync`` so that a span which is not there is told."""

from collections.abc import Mapping
from typing import Any

from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoreback.destinations.contract import Account, Destination, HumanScore, Request, rounded


class Phoenix(Destination):
    key = "phoenix"
    title = "Arize Phoenix"
    tools = ("phoenix", "otel")
    usual_address = "https://app.phoenix.arize.com"
    secret = _("API key (empty where Phoenix asks for none)")
    public_key = ""
    needs_span = True

    def headers(self, account: Account) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {account.secret}"} if account.secret else {}

    def request(self, score: HumanScore) -> Request:
        said = {
            "score": None if score.value is None else rounded(score.value),
            "label": score.label,
            "explanation": score.comment,
        }
        annotation: dict[str, Any] = {
            "span_id": score.span,
            "name": score.aspect,
            "annotator_kind": "HUMAN",
            "identifier": str(score.identifier),
            "result": {name: value for name, value in said.items() if value not in (None, "")},
            "metadata": score.about,
        }
        return Request("POST", "/v1/span_annotations?sync=true", {"data": [annotation]})
