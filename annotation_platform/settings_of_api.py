"""How Django REST framework and drf-spectacular are set for the API; nothing here depends on the environment."""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation_platform.api.frame.authentication.TokenAuthentication",
        "annotation_platform.api.frame.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["annotation_platform.api.frame.access.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["annotation_platform.api.frame.limits.RateLimit"],
    "DEFAULT_PARSER_CLASSES": ["annotation_platform.api.frame.bodies.BodyParser"],
    "DEFAULT_RENDERER_CLASSES": ["annotation_platform.api.frame.rendering.BodyRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotation_platform.api.frame.rendering.JsonAnyhow",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "annotation_platform.api.frame.problems.problem_of",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Annotation platform",
    "DESCRIPTION": "Human evaluation of language-model output: what the pages do, for programs.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "BatchState": ["draft", "open", "closed", "scored"],
        "AssignmentState": ["open", "claimed", "submitted"],
        "JobState": ["draft", "pending", "running", "paused", "done", "failed"],
        "RoleEnum": ["annotator", "researcher", "admin"],
        "TurnRole": ["system", "user", "assistant"],
        "FindingVerdict": ["open", "kept", "removed"],
        "AttemptVerdict": ["pending", "passed", "failed"],
        "DecidedVerdict": ["passed", "failed"],
        "ReviewState": ["waiting", "approved", "rejected", "appealed", "settled"],
        "InvitationState": ["open", "revoked", "used up", "expired"],
        "PaymentState": ["proposed", "approved", "cancelled"],
        "PaymentLineState": ["open", "differs", "paid", "not_paid", "reversed", "cancelled"],
        "OrderKind": ["approve", "reject", "bonus", "create", "publish"],
        "OrderState": ["intended", "sent", "confirmed", "refused", "unclear", "was done", "not done"],
        "CheckKind": ["gold", "attention"],
        "EntryReadKindEnum": ["reward", "partial", "bonus", "correction", "payment", "payment_reversed"],
        "SignReadKindEnum": ["haste", "one_label", "copied", "repeated", "from_text", "pasted"],
        "SourceKey": ["prolific", "results_file", "link", "account"],
        "ImportedWorkStatus": ["Approved", "Rejected", "Submitted"],
        "FormatEnum": ["csv", "spreadsheet", "jsonl", "parquet", "consensus"],
        "WantedEnum": ["count", "migrate"],
        "ImportTarget": ["study", "corpus"],
        "ImportWanted": ["check", "import", "look"],
        "ImportFormat": "annotation_platform.api.imports.serializers.FORMAT_KEYS",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "annotation_platform.api.frame.schema.with_problems",
    ],
}
