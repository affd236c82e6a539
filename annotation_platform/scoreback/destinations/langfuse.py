"""Langfuse: ``POST /api/public/scores``, which replaces a score of the same id.

An aspect with numbers becomes a score of the type NUMERIC, another one CATEGORICAL. Project keys are sent as a name and
a password (Basic).
"""

import base64
from collections.abc import Mapping
from typing import Any

from annotation_platform.core.reasons import gettext_noop as _
from annotation_platform.scoreback.destinations.contract import Account, Destination, HumanScore, Request, rounded


class Langfuse(Destination):
    key = "langfuse"
    title = "Langfuse"
    tools = ("langfuse", "otel")
    usual_address = "https://cloud.langfuse.com"
    secret = _("Secret key (sk-lf-…)")
    public_key = _("Public key (pk-lf-…)")
    needs_span = False

    def headers(self, account: Account) -> Mapping[str, str]:
        pair = base64.b64encode(f"{account.public_key}:{account.secret}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}

    def request(self, score: HumanScore) -> Request:
        is_number = score.value is not None
        body: dict[str, Any] = {
            "id": str(score.identifier),
            "traceId": score.trace,
            "name": score.aspect,
            "value": rounded(score.value) if score.value is not None else score.label,
            "dataType": "NUMERIC" if is_number else "CATEGORICAL",
            "metadata": score.about | ({"label": score.label} if is_number and score.label else {}),
        }
        body |= {"observationId": score.span} if score.span else {}
        body |= {"comment": score.comment} if score.comment else {}
        return Request("POST", "/api/public/scores", body)
