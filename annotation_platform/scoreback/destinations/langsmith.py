"""LangSmith: ``POST /api/v1/feedback`` under an id of ours, and ``PATCH`` of that id where it is there already.

A score has four decimal places there; more are refused.
"""

from collections.abc import Mapping
from typing import Any

from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoreback.destinations.contract import Account, Destination, HumanScore, Request, rounded

DIGITS = 4


class LangSmith(Destination):
    key = "langsmith"
    title = "LangSmith"
    tools = ("langsmith",)
    usual_address = "https://api.smith.langchain.com"
    secret = _("API key (lsv2_…)")
    public_key = ""
    needs_span = True

    def headers(self, account: Account) -> Mapping[str, str]:
        return {"X-API-Key": account.secret}

    def request(self, score: HumanScore) -> Request:
        body = {
            "id": str(score.identifier),
            "run_id": score.span,
            "trace_id": score.trace,
            "session_id": score.project,
            "key": score.aspect,
            **_said(score),
            "feedback_source": {"type": "api", "metadata": score.about},
        }
        return Request(
            "POST", "/api/v1/feedback", {name: each for name, each in body.items() if each not in (None, "")}
        )

    def replacement(self, score: HumanScore) -> Request | None:
        return Request("PATCH", f"/api/v1/feedback/{score.identifier}", _said(score))


def _said(score: HumanScore) -> dict[str, Any]:
    return {
        "score": None if score.value is None else rounded(score.value, DIGITS),
        "value": score.label or None,
        "comment": score.comment or None,
    }
