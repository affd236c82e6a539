"""Who gets in where: every address and method of the API, for every role and every scope of a token.

The lines are held against the router, so that a new endpoint without a line fails.
"""

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse
from django.utils import timezone

from annotation_platform.accounts.models import Event, User
from annotation_platform.accounts.scopes import granted
from annotation_platform.analysis.models import PaperBundle
from annotation_platform.analysis.snapshots.taking import take_snapshot
from annotation_platform.annotations.models import SchemeMigration
from annotation_platform.api.urls import v1
from annotation_platform.crowd.adjudication.services import adjudicate
from annotation_platform.crowd.checks.models import CheckAction
from annotation_platform.crowd.pay.services import collect_payment, correct
from annotation_platform.crowd.providers.prolific.orders import pay_bonuses
from annotation_platform.crowd.providers.results_file.services import take_over
from annotation_platform.crowd.rounds.models import Verdict
from annotation_platform.crowd.rounds.services import decide_without_attempt
from annotation_platform.crowd.talk.models import Audience
from annotation_platform.crowd.talk.services.announcements import announce
from annotation_platform.crowd.talk.services.faq import add_entry
from annotation_platform.imports.drafts import receive_files
from annotation_platform.imports.uploads import begin_upload
from annotation_platform.releases.freeze.rights import give_right
from annotation_platform.releases.freeze.services import make_link
from annotation_platform.releases.models import Export, Release
from annotation_platform.scoreback.services import save_destination
from annotation_platform.scoring.models import ModelConnection, ScoringRun, SuspiciousPassage
from annotation_platform.studies.invitations import create_invitation
from annotation_platform.studies.models import Assignment, Member, Role, Study
from annotation_platform.studies.services import claim_assignment
from annotation_platform.webhooks.services import add_webhook, send_test
from tests import rests_on
from tests.api.clients import token_for, with_token
from tests.crowd.checks.pieces import add_some
from tests.crowd.pay.paying import agree
from tests.crowd.providers.participants import as_export, held, there
from tests.crowd.providers.pieces import connected, submission
from tests.crowd.providers.results import as_csv, row
from tests.crowd.rounds.pieces import new_round
from tests.factories import OPERATOR, MemberFactory, UserFactory, judgment, open_study

pytestmark = pytest.mark.xdist_group("api-access")

SCOPES = ("read", "annotate", "manage", "admin")
ANYBODY = {"stranger", "annotator", "researcher", "admin", "operator"}
READERS = {"researcher", "admin"}


@dataclass(frozen=True)
class World:
    study: Study
    task: Assignment
    people: dict[str, User]
    tokens: dict[tuple[str, str], str]
    named: dict[str, dict[str, Any]] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)
    """Those found so far, by name."""


@dataclass(frozen=True)
class Line:
    """An address and method: whom it is for, which scope it takes, and a body."""

    name: str
    method: str
    scope: str
    who: set[str]
    body: Callable[[World], Any] = lambda world: {}
    missing: str = ""
    """The code of what is not there, for those who get in."""


LINES = [
    Line("api_schemes", "GET", "read", ANYBODY),
    Line("api_check_scheme", "POST", "read", ANYBODY, lambda _: {"preset": "ebr"}),
    Line("api_preset", "GET", "read", ANYBODY),
    Line("api_corpora", "GET", "read", ANYBODY),
    Line("api_corpora", "POST", "manage", READERS | {"operator"}),
    Line("api_corpus", "GET", "read", READERS | {"operator"}),
    Line("api_import_formats", "GET", "read", READERS | {"operator"}),
    Line("api_imports", "GET", "read", READERS | {"operator"}),
    Line("api_imports", "POST", "manage", READERS | {"operator"}),
    Line("api_uploads", "GET", "read", READERS | {"operator"}),
    Line("api_uploads", "POST", "manage", READERS | {"operator"}, lambda _: {"name": "b.csv", "size": 3}),
    Line("api_upload", "GET", "read", {"researcher"}),
    Line("api_upload", "PATCH", "manage", {"researcher"}),
    Line("api_upload", "DELETE", "manage", {"researcher"}),
    Line("api_import", "GET", "read", {"researcher"}),
    Line("api_import", "PATCH", "manage", {"researcher"}, lambda _: {"name": "Other"}),
    Line("api_import", "DELETE", "manage", {"researcher"}),
    Line("api_import_preview", "GET", "read", {"researcher"}),
    Line("api_check_import", "POST", "manage", {"researcher"}),
    Line("api_store_import", "POST", "manage", {"researcher"}),
    Line("api_results_files", "GET", "read", READERS | {"operator"}),
    Line("api_results_files", "POST", "manage", READERS | {"operator"}),
    Line("api_results_file", "GET", "read", {"researcher"}),
    Line("api_imported_work", "GET", "read", READERS),
    Line("api_sources", "GET", "read", READERS),
    Line("api_studies", "GET", "read", ANYBODY),
    Line(
        "api_studies",
        "POST",
        "manage",
        READERS | {"operator"},
        lambda world: {"name": "Another", "corpus": world.study.corpus_id, "scheme": {"preset": "ebr"}},
    ),
    Line("api_study", "GET", "read", READERS),
    Line("api_study", "PATCH", "manage", READERS, lambda _: {"pay": "A lot"}),
    Line("api_study", "DELETE", "admin", {"admin"}, lambda world: {"name": world.study.name}),
    Line("api_archive_study", "POST", "admin", {"admin"}),
    Line("api_restore_study", "POST", "admin", {"admin"}),
    Line("api_mirrors", "GET", "read", READERS),
    Line("api_mirrors", "PUT", "manage", READERS, lambda _: {"rows": []}),
    Line("api_study_scheme", "GET", "read", READERS),
    Line("api_judgment_schema", "GET", "annotate", READERS | {"annotator"}),
    Line("api_batches", "GET", "read", READERS),
    Line("api_cut_batches", "POST", "manage", READERS, lambda _: {"items": 2}),
    Line("api_batch", "GET", "read", READERS),
    Line("api_batch", "PATCH", "manage", READERS),
    Line("api_draw", "GET", "read", READERS),
    Line("api_draw", "POST", "manage", READERS, lambda _: {"n": 1}),
    Line("api_open_batch", "POST", "manage", READERS),
    Line("api_close_batch", "POST", "manage", READERS),
    Line("api_keep_batch_open", "POST", "manage", READERS),
    Line("api_reopen_batch", "POST", "manage", READERS),
    Line("api_items", "GET", "read", READERS),
    Line("api_item", "GET", "read", READERS),
    Line("api_judgments", "GET", "read", READERS),
    Line("api_assignments", "GET", "read", READERS),
    Line("api_members", "GET", "read", READERS),
    Line("api_pause_member", "POST", "manage", READERS, lambda _: {"because": "A question."}),
    Line("api_resume_member", "POST", "manage", READERS),
    Line("api_change_role", "POST", "admin", {"admin"}, lambda _: {"role": "researcher"}),
    Line("api_remove_member", "POST", "admin", {"admin"}),
    Line("api_hand_over", "POST", "admin", {"admin"}),
    Line("api_restore_member", "POST", "admin", {"admin"}),
    Line("api_invitations", "GET", "manage", READERS),
    Line("api_invitations", "POST", "manage", READERS),
    Line("api_revoke_invitation", "POST", "manage", READERS),
    Line("api_exclude_member", "POST", "manage", READERS, lambda _: {"because": "A question."}),
    Line("api_readmit_member", "POST", "manage", READERS),
    Line("api_extend_lease", "POST", "manage", READERS, lambda _: {"minutes": 5}),
    Line("api_free_assignment", "POST", "manage", READERS),
    Line("api_search", "GET", "read", READERS),
    Line("api_scheme_versions", "GET", "read", READERS),
    Line("api_scheme_migrations", "GET", "admin", {"admin"}),
    Line("api_scheme_migrations", "POST", "admin", {"admin"}, lambda _: {"scheme": {"preset": "ebr"}}),
    Line("api_scheme_migration", "GET", "admin", {"admin"}),
    Line("api_methods", "GET", "read", READERS),
    Line("api_runs", "GET", "read", READERS),
    Line("api_runs", "POST", "manage", READERS, lambda _: {"method": "ebr"}),
    Line("api_run", "GET", "read", READERS),
    Line("api_pause_run", "POST", "manage", READERS),
    Line("api_stop_run", "POST", "manage", READERS),
    Line("api_resume_run", "POST", "manage", READERS),
    Line("api_choose_run", "POST", "manage", READERS),
    Line("api_prompts", "POST", "read", READERS),
    Line("api_scoring", "GET", "read", READERS),
    Line("api_scoring", "PATCH", "manage", READERS, lambda _: {"budget": "5"}),
    Line("api_connections", "GET", "read", READERS),
    Line(
        "api_connections",
        "POST",
        "manage",
        READERS,
        lambda _: {"name": "New", "base_url": "https://models.example.org/v1", "model": "m"},
    ),
    Line("api_connection", "GET", "read", READERS),
    Line("api_connection", "PATCH", "manage", {"admin"}, lambda _: {"model": "m2"}),
    Line("api_try_connection", "POST", "manage", READERS),
    Line("api_platform_connections", "GET", "read", {"operator"}),
    Line(
        "api_platform_connections",
        "POST",
        "admin",
        {"operator"},
        lambda _: {"name": "New", "base_url": "https://models.example.org/v1", "model": "m"},
    ),
    Line("api_platform_connection", "GET", "read", {"operator"}),
    Line("api_platform_connection", "PATCH", "admin", {"operator"}, lambda _: {"model": "m2"}),
    Line("api_try_platform_connection", "POST", "admin", {"operator"}),
    Line("api_unread_replies", "GET", "read", READERS),
    Line("api_unread_reply", "GET", "read", READERS),
    Line("api_unread_reply", "POST", "manage", READERS, lambda _: {"choice": "yes"}),
    Line("api_passages", "GET", "read", READERS),
    Line("api_dismiss_passage", "POST", "manage", READERS),
    Line("api_run_beside", "GET", "read", READERS),
    Line("api_run_scores", "GET", "read", READERS),
    Line("api_run_labels", "GET", "read", READERS),
    Line("api_run_item_scores", "GET", "read", READERS),
    Line("api_bundles", "GET", "read", READERS),
    Line("api_bundles", "POST", "manage", READERS),
    Line("api_bundle_file", "GET", "read", READERS, missing="jobs.no_file"),
    Line("api_snapshots", "GET", "read", READERS),
    Line("api_snapshots", "POST", "manage", READERS),
    Line("api_snapshot", "GET", "read", READERS),
    Line("api_snapshot_changes", "GET", "read", READERS, missing="api.no_snapshot_before"),
    Line("api_sections", "GET", "read", READERS),
    Line("api_figures", "GET", "read", READERS),
    Line("api_figures_schema", "GET", "read", READERS),
    Line("api_chart", "GET", "read", READERS),
    Line("api_plan", "GET", "read", ANYBODY),
    Line("api_plan_chart", "GET", "read", ANYBODY),
    Line("api_exports", "GET", "admin", {"admin"}),
    Line("api_exports", "POST", "admin", {"admin"}),
    Line("api_export", "GET", "admin", {"admin"}),
    Line("api_export_file", "GET", "admin", {"admin"}, missing="jobs.no_file"),
    Line("api_score_destinations", "GET", "admin", {"admin"}),
    Line("api_score_destination", "GET", "admin", {"admin"}),
    Line(
        "api_score_destination",
        "PUT",
        "admin",
        {"admin"},
        lambda _: {"address": "https://example.org", "public_key": "pk", "aspects": ["correct"]},
    ),
    Line("api_score_destination", "DELETE", "admin", {"admin"}),
    Line("api_score_preview", "GET", "admin", {"admin"}),
    Line("api_send_scores", "POST", "admin", {"admin"}),
    Line("api_stop_sending", "POST", "admin", {"admin"}),
    Line("api_sent_scores", "GET", "admin", {"admin"}),
    Line("api_releases", "GET", "read", READERS),
    Line("api_releases", "POST", "admin", {"admin"}),
    Line("api_release", "GET", "read", READERS),
    Line("api_settle_release", "POST", "admin", {"admin"}),
    Line("api_give_up_release", "POST", "admin", {"admin"}),
    Line("api_withdraw_release", "POST", "admin", {"admin"}, lambda _: {"because": "It is wrong."}),
    Line("api_release_changes", "GET", "read", READERS, missing="jobs.file_removed"),
    Line("api_release_file", "GET", "read", READERS, missing="jobs.file_removed"),
    Line("api_release_part", "GET", "read", READERS, missing="jobs.file_removed"),
    Line("api_release_training", "GET", "read", READERS, missing="jobs.file_removed"),
    Line("api_release_for_tool", "GET", "read", READERS, missing="jobs.file_removed"),
    Line("api_release_links", "GET", "admin", {"admin"}),
    Line("api_release_links", "POST", "admin", {"admin"}),
    Line("api_revoke_release_link", "POST", "admin", {"admin"}),
    Line("api_given_releases", "GET", "read", ANYBODY),
    Line("api_release_rights", "GET", "admin", {"admin"}),
    Line("api_release_rights", "POST", "admin", {"admin"}, lambda _: {"email": "guest@example.org"}),
    Line("api_revoke_release_right", "POST", "admin", {"admin"}),
    Line("api_job", "GET", "read", READERS),
    Line("api_webhooks", "GET", "manage", READERS),
    Line("api_webhooks", "POST", "manage", READERS, lambda _: {"address": "https://example.org/hook"}),
    Line("api_webhook", "GET", "manage", READERS),
    Line("api_webhook", "PATCH", "manage", READERS, lambda _: {"note": "Ours"}),
    Line("api_webhook", "DELETE", "manage", READERS),
    Line("api_rotate_webhook", "POST", "manage", READERS),
    Line("api_test_webhook", "POST", "manage", READERS),
    Line("api_deliveries", "GET", "manage", READERS),
    Line("api_send_again", "POST", "manage", READERS),
    Line("api_events", "GET", "read", READERS),
    Line("api_threads", "GET", "read", READERS),
    Line("api_thread", "GET", "read", READERS),
    Line("api_thread", "POST", "manage", READERS, lambda _: {"text": "On Friday."}),
    Line("api_settle_thread", "POST", "manage", READERS),
    Line("api_announcements", "GET", "read", READERS),
    Line("api_announcements", "POST", "manage", READERS, lambda _: {"text": "A new batch is open."}),
    Line("api_end_announcement", "POST", "manage", READERS),
    Line("api_faq", "GET", "read", READERS),
    Line("api_faq", "POST", "manage", READERS, lambda _: {"question_en": "Why?", "answer_en": "So."}),
    Line("api_faq_entry", "GET", "read", READERS),
    Line("api_faq_entry", "PATCH", "manage", READERS, lambda _: {"answer_en": "So."}),
    Line("api_faq_entry", "DELETE", "manage", READERS),
    Line("api_move_faq_entry_up", "POST", "manage", READERS),
    Line("api_move_faq_entry_down", "POST", "manage", READERS),
    Line("api_consent_texts", "GET", "read", READERS),
    Line("api_consent_texts", "POST", "manage", READERS, lambda _: {"texts": {"en": "What is kept."}}),
    Line("api_consents", "GET", "read", READERS),
    Line("api_languages", "GET", "read", READERS),
    Line("api_languages", "PUT", "manage", READERS, lambda _: {"codes": ["ja"]}),
    Line("api_late_work", "GET", "read", READERS),
    Line("api_accept_late_work", "POST", "manage", READERS),
    Line("api_decline_late_work", "POST", "manage", READERS, lambda _: {"because": "Too late."}),
    Line("api_late_judgments", "GET", "read", READERS),
    Line("api_erase_member", "POST", "admin", {"admin"}, lambda _: {"pseudonym": "Somebody else"}),
    Line("api_rounds", "GET", "read", READERS),
    Line("api_rounds", "POST", "manage", READERS, lambda world: {"title": "Two", "corpus": world.study.corpus_id}),
    Line("api_round", "GET", "read", READERS),
    Line("api_round", "PATCH", "manage", READERS, lambda _: {"least_percent": 50}),
    Line("api_move_round_up", "POST", "manage", READERS),
    Line("api_confirm_round", "POST", "manage", READERS),
    Line("api_decide_by_hand", "POST", "manage", READERS),
    Line("api_round_items", "GET", "read", READERS),
    Line("api_round_items", "POST", "manage", READERS, lambda _: {"items": []}),
    Line("api_round_item", "GET", "read", READERS),
    Line("api_round_item", "PUT", "manage", READERS, lambda _: {"accepted": {"correct": "yes"}}),
    Line("api_attempt", "GET", "read", READERS),
    Line("api_open_round", "POST", "manage", READERS),
    Line("api_end_round", "POST", "manage", READERS),
    Line("api_attempts", "GET", "read", READERS),
    Line("api_decide_attempt", "POST", "manage", READERS, lambda _: {"verdict": "failed"}),
    Line("api_checks", "GET", "read", READERS),
    Line("api_checks", "POST", "manage", READERS),
    Line("api_check", "GET", "read", READERS),
    Line("api_check", "PATCH", "manage", READERS, lambda _: {"accepted": {"correct": "no"}}),
    Line("api_retire_check", "POST", "manage", READERS),
    Line("api_use_check", "POST", "manage", READERS),
    Line("api_check_rule", "GET", "read", READERS),
    Line("api_check_rule", "PATCH", "manage", READERS, lambda _: {"every": 3}),
    Line("api_mix_checks", "POST", "manage", READERS),
    Line("api_checked_annotators", "GET", "read", READERS),
    Line("api_check_results", "GET", "read", READERS),
    Line("api_check_actions", "GET", "read", READERS),
    Line("api_undo_check_action", "POST", "manage", READERS),
    Line("api_prolific", "GET", "read", READERS),
    Line("api_prolific", "PATCH", "manage", READERS, lambda _: {"is_open": False}),
    Line("api_poll_prolific", "POST", "manage", READERS),
    Line("api_participants", "GET", "read", READERS),
    Line("api_participants", "DELETE", "manage", READERS),
    Line("api_participants_files", "GET", "read", READERS),
    Line("api_participants_files", "POST", "manage", READERS),
    Line("api_participants_file", "GET", "read", READERS),
    Line("api_participants_comparison", "GET", "read", READERS),
    Line("api_store_participants", "POST", "manage", READERS),
    Line("api_participants_file", "DELETE", "manage", READERS),
    Line("api_submissions", "GET", "read", READERS),
    Line("api_submission", "GET", "read", READERS),
    Line("api_approve_submission", "POST", "manage", READERS),
    Line("api_reject_submission", "POST", "manage", READERS, lambda _: {"category": "NO_CODE", "message": "No. " * 50}),
    Line("api_bonus_of_submission", "POST", "manage", READERS, lambda _: {"amount": "1.50"}),
    Line(
        "api_prolific_studies",
        "POST",
        "manage",
        READERS,
        lambda _: {"name": "Owls", "description": "About owls.", "places": 3, "reward": "4.50", "minutes": 20},
    ),
    Line("api_orders", "GET", "read", READERS),
    Line("api_order", "GET", "read", READERS),
    Line("api_settle_order", "POST", "manage", READERS, lambda _: {"was_done": True}),
    Line("api_order_again", "POST", "manage", READERS),
    Line("api_publish_study", "POST", "manage", READERS),
    Line("api_annotators", "GET", "read", READERS),
    Line("api_annotator", "GET", "read", READERS),
    Line("api_annotator_history", "GET", "read", READERS),
    Line("api_pacing", "GET", "read", READERS),
    Line("api_pacing", "PATCH", "manage", READERS, lambda _: {"every_hours": 12}),
    Line("api_pacing_release", "POST", "manage", READERS, lambda _: {"because": "A talk.", "after": 0}),
    Line("api_reviews", "GET", "read", READERS),
    Line("api_approve_work", "POST", "manage", READERS, missing="crowd.no_submission"),
    Line("api_reject_work", "POST", "manage", READERS, lambda _: {"because": "No."}, missing="crowd.no_submission"),
    Line("api_answer_appeal", "POST", "manage", READERS, missing="crowd.no_submission"),
    Line("api_items_apart", "GET", "read", READERS),
    Line("api_adjudications", "GET", "read", READERS),
    Line(
        "api_adjudicate",
        "PUT",
        "manage",
        READERS,
        lambda world: {"values": judgment(), "scheme_signature": world.study.scheme_version.signature},
    ),
    Line("api_adjudicate", "GET", "read", READERS),
    Line("api_make_check", "POST", "manage", {"admin"}),
    Line("api_pay", "GET", "read", READERS),
    Line("api_pay", "PATCH", "admin", {"admin"}, lambda _: {"reward": "3.00"}),
    Line("api_pay_rates", "GET", "read", READERS),
    Line("api_pay_entries", "GET", "read", READERS),
    Line(
        "api_pay_entries",
        "POST",
        "manage",
        READERS,
        lambda world: {"annotator": world.named["member"]["pk"], "amount": "1.50", "reason": "Thanks."},
    ),
    Line("api_pay_approve", "POST", "manage", READERS),
    Line("api_pay_bonuses", "POST", "manage", READERS, lambda _: {"batch": 1}),
    Line("api_payments", "GET", "read", READERS),
    Line("api_payments", "POST", "manage", READERS),
    Line("api_payment", "GET", "read", READERS),
    Line("api_approve_payment", "POST", "admin", {"admin"}),
    Line("api_cancel_payment", "POST", "admin", {"admin"}),
    Line("api_payment_file", "GET", "admin", {"admin"}),
    Line("api_record_paid", "POST", "admin", {"admin"}, lambda _: {"rows": []}),
    Line("api_pay_by_prolific", "POST", "admin", {"admin"}),
    Line("api_settle_line", "POST", "admin", {"admin"}, lambda _: {"amount": "1"}),
    Line("api_reverse_line", "POST", "admin", {"admin"}, lambda _: {"reason": "It came back."}),
    Line("api_work", "GET", "annotate", ANYBODY),
    Line("api_take_task", "POST", "annotate", {"annotator"}),
    Line("api_read_note", "POST", "annotate", {"annotator"}, lambda _: {"note": "nothing.1"}),
    Line("api_own_mail_wishes", "GET", "annotate", ANYBODY),
    Line("api_own_mail_wishes", "PUT", "annotate", ANYBODY, lambda _: {"messages": True, "announcements": False}),
    Line("api_own_data", "GET", "admin", ANYBODY),
    Line("api_own_data", "POST", "admin", ANYBODY),
    Line("api_own_data_file", "GET", "admin", ANYBODY, missing="jobs.no_file"),
    Line("api_own_rounds", "GET", "annotate", ANYBODY),
    Line("api_begin_round", "POST", "annotate", {"annotator"}),
    Line("api_own_attempt", "GET", "annotate", {"annotator"}),
    Line("api_own_submissions", "GET", "annotate", ANYBODY),
    Line("api_own_appeal", "POST", "annotate", set(), lambda _: {"words": "It is right."}),  # nothing is submitted
    Line("api_own_threads", "GET", "annotate", ANYBODY),
    Line("api_own_earnings", "GET", "admin", ANYBODY),
    Line("api_own_entries", "GET", "admin", ANYBODY),
    Line("api_own_announcements", "GET", "annotate", ANYBODY),
    Line("api_dismiss_announcement", "POST", "annotate", {"annotator"}),
    Line("api_own_consent", "GET", "annotate", {"annotator"}, missing="crowd.no_consent_text"),
    Line(
        "api_own_consent",
        "POST",
        "annotate",
        {"annotator"},
        lambda _: {"version": 1, "language": "en", "agreed": True},
        missing="crowd.no_consent_text",
    ),
    Line("api_own_languages", "GET", "annotate", {"annotator"}),
    Line("api_own_languages", "PUT", "annotate", {"annotator"}, lambda _: {"codes": ["en"]}),
    Line("api_instructions", "GET", "annotate", {"annotator"}),
    Line("api_own_faq", "GET", "annotate", {"annotator"}),
    Line("api_own_study_messages", "GET", "annotate", {"annotator"}),
    Line("api_own_study_messages", "POST", "annotate", {"annotator"}, lambda _: {"text": "Why?"}),
    Line("api_leave_study", "POST", "annotate", {"annotator"}),
    Line("api_more_time", "POST", "annotate", {"annotator"}, lambda _: {"extensions": 0}),
    Line("api_drop_change", "POST", "annotate", {"annotator"}),
    Line(
        "api_late_judgment",
        "POST",
        "annotate",
        {"annotator"},
        lambda world: {"values": judgment(), "scheme_signature": world.study.scheme_version.signature},
    ),
    Line("api_tasks", "GET", "annotate", ANYBODY),
    Line("api_task", "GET", "annotate", {"annotator"}),
    Line("api_give_back", "POST", "annotate", {"annotator"}),
    Line("api_messages", "GET", "annotate", {"annotator"} | READERS),
    Line("api_messages", "POST", "annotate", {"annotator"} | READERS, lambda _: {"text": "Why?"}),
    Line("api_hint", "POST", "annotate", {"annotator"}, lambda _: {"slot": "reasons", "values": {"reasons": "It"}}),
    Line("api_pasted", "POST", "annotate", {"annotator"}, lambda _: {"slot": "reasons", "characters": 3}),
    Line("api_draft", "PUT", "annotate", {"annotator"}, lambda _: {"values": {"reasons": "It"}, "version": 0}),
    Line(
        "api_judgment",
        "POST",
        "annotate",
        {"annotator"},
        lambda world: {"values": judgment(), "scheme_signature": world.study.scheme_version.signature},
    ),
]


@pytest.fixture(scope="module")
def world(module_db: None) -> World:
    study = open_study(name="Owls")
    roles = {"annotator": Role.ANNOTATOR, "researcher": Role.RESEARCHER, "admin": Role.ADMIN}
    members = {name: MemberFactory(study=study, role=role) for name, role in roles.items()}
    MemberFactory(study=study, role=Role.ADMIN)  # so that nobody is the last one
    MemberFactory(study=open_study(name="Finches"), role=Role.RESEARCHER)
    people = {name: member.user for name, member in members.items()}
    people |= {"stranger": UserFactory(), "operator": UserFactory(is_staff=True)}
    task = claim_assignment(annotator=members["annotator"], actor=OPERATOR)
    invitation = create_invitation(study=study, role=Role.ANNOTATOR, actor=OPERATOR)
    run = ScoringRun.objects.create(study=study, method="ebr", scorer="distilled", status="failed")
    snapshot = take_snapshot(study=study, resamples=1)
    passage = SuspiciousPassage.objects.create(run=run, item=task.hit.items.first())
    connection = ModelConnection.objects.create(
        study=study, created_by=members["admin"].user, name="Ours", base_url="https://m.example.org/v1", model="m"
    )
    bundle = PaperBundle.objects.create(study=study, snapshot=snapshot, requested_by=members["admin"])
    export = Export.objects.create(study=study, requested_by=members["admin"], format="csv")
    release = Release.objects.create(
        study=study, requested_by=members["admin"], number=1, status="done", frozen_at=timezone.now()
    )
    right = give_right(release=release, email="aya@example.org", created_by=members["admin"], actor=OPERATOR)
    link = make_link(release=release, created_by=members["admin"], days=1, actor=OPERATOR)
    webhook, _ = add_webhook(study=study, address="https://example.org/", kinds=["batch.closed"], actor=OPERATOR)
    message = send_test(endpoint=webhook, actor=OPERATOR)
    save_destination(
        study=study,
        program="langfuse",
        address="https://example.org",
        aspects=["correct"],
        public_key="pk",
        secret="sk",
        actor=OPERATOR,
    )
    migration = SchemeMigration.objects.create(study=study, wanted="count", text="", before=study.scheme_version)
    announcement = announce(
        author=members["admin"], text="Welcome.", audience=Audience.ALL, by_mail=False, actor=OPERATOR
    )
    agree(study)
    correct(member=members["annotator"], amount=100, reason="Thanks.", actor=OPERATOR)
    payment = collect_payment(study=study, actor=OPERATOR)
    entry = add_entry(
        study=study, question_en="When?", answer_en="On Friday.", question_ja="", answer_ja="", actor=OPERATOR
    )
    round_ = new_round(study)
    attempt = decide_without_attempt(
        round_=round_, member=members["annotator"], verdict=Verdict.PASSED, by=members["admin"], actor=OPERATOR
    )
    (check,) = add_some(study, 1)
    action = CheckAction.objects.create(
        annotator=members["annotator"], action="warn", because="Read on.", judged=1, failed=1, last_result=1
    )
    visit = submission(connected(study))
    participants = held(visit.connection, as_export(there(1, visit.external_id)))
    order = pay_bonuses(connection=visit.connection, lines=[(visit, 100)], actor=OPERATOR)[0]
    assert people["researcher"] is not None
    upload, _ = begin_upload(owner=people["researcher"], name="b.csv", size=3, digest="", actor=OPERATOR)
    imported = receive_files(
        owner=people["researcher"],
        uploads=[SimpleUploadedFile("a.csv", b"question\nWhy?\n")],
        target="study",
        actor=OPERATOR,
    )
    results = take_over(
        name="batch.csv", content=as_csv(row(1)), with_rejected=False, owner=people["researcher"], actor=OPERATOR
    )
    of_platform = ModelConnection.objects.create(name="All", base_url="https://m.example.org/v1", model="m")
    judged = task.hit.items.order_by("pk")[0]
    adjudicate(
        item=judged,
        adjudicator=members["admin"],
        raw=judgment(),
        scheme_signature=study.scheme_version.signature,
        actor=OPERATOR,
    )
    in_study = {"slug": study.slug}
    named: dict[str, dict[str, Any]] = {
        "study": in_study,
        "member": in_study | {"pk": members["annotator"].pk},
        "invitation": in_study | {"pk": invitation.pk},
        "batch": in_study | {"number": 1},
        "task": {"pk": task.pk},
        "item": {"pk": task.pk, "position": 1},
        "corpus": {"pk": study.corpus_id},
        "key": {"key": "ebr"},
        "assignment": in_study | {"pk": task.pk},
        "run": in_study | {"pk": run.pk},
        "runs": in_study | {"pk": run.pk, "other": run.pk},
        "passage": in_study | {"pk": passage.pk},
        "connection": in_study | {"pk": connection.pk},
        "bundle": in_study | {"pk": bundle.pk},
        "snapshot": in_study | {"pk": snapshot.pk},
        "section": in_study | {"section": "krippendorff_alpha"},
        "export": in_study | {"pk": export.pk},
        "file": in_study | {"number": 1, "path": "data/items.csv"},
        "link": in_study | {"number": 1, "pk": link.pk},
        "tool": in_study | {"number": 1, "tool": "argilla"},
        "right": in_study | {"number": 1, "pk": right.pk},
        "webhook": in_study | {"pk": webhook.pk},
        "message": in_study | {"pk": webhook.pk, "message": message.pk},
        "migration": in_study | {"pk": migration.pk},
        "thread": in_study | {"annotator": members["annotator"].pk, "assignment": task.pk},
        "submission": in_study | {"pk": task.pk, "member": members["annotator"].pk},
        "announcement": in_study | {"pk": announcement.pk},
        "visit": in_study | {"pk": visit.pk},
        "order": in_study | {"pk": order.pk},
        "participants": in_study | {"pk": participants.pk},
        "check": in_study | {"pk": check.pk},
        "action": in_study | {"pk": action.pk},
        "line": in_study | {"number": payment.number, "line": payment.lines.get().pk},
        "late": in_study | {"task": task.hit_id, "annotator": members["annotator"].pk},
        "entry": in_study | {"pk": entry.pk},
        "round": in_study | {"pk": round_.pk},
        "round item": in_study | {"pk": round_.pk, "number": 1},
        "attempt": in_study | {"pk": attempt.pk},
        "judged": in_study | {"pk": judged.pk},
        "results file": {"pk": results.pk},
        "connection of the platform": {"pk": of_platform.pk},
        "own round": {"pk": round_.pk},
        "own attempt": {"pk": attempt.pk},
        "own announcement": {"pk": announcement.pk},
        "job": {"name": f"run-{run.pk}"},
        "program": in_study | {"program": "langfuse"},
        "import": {"pk": imported.pk},
        "upload": {"pk": upload.pk},
        "method": in_study | {"method": "judge"},
        "chart": in_study | {"aspect": "completeness", "name": "aspects"},
        "plan chart": {"name": "plan-curve"},
        "none": {},
    }
    tokens = {(name, scope): token_for(user, scope) for name, user in people.items() for scope in SCOPES}
    return World(study, task, people, tokens, named)


@pytest.fixture
def rows(db: None, world: World) -> World:
    cache.clear()
    return world


ABOUT = {
    **dict.fromkeys(("api_invitations", "api_revoke_invitation"), "invitation"),
    **dict.fromkeys(("api_extend_lease", "api_free_assignment"), "assignment"),
    **dict.fromkeys(("api_connection", "api_try_connection"), "connection"),
    "api_dismiss_passage": "passage",
    "api_bundle_file": "bundle",
    **dict.fromkeys(("api_passages", "api_run_scores", "api_run_labels", "api_run_item_scores"), "run"),
    **dict.fromkeys(("api_run", "api_pause_run", "api_stop_run", "api_resume_run", "api_choose_run"), "run"),
    **dict.fromkeys(("api_webhook", "api_rotate_webhook", "api_test_webhook", "api_deliveries"), "webhook"),
    **dict.fromkeys(("api_snapshot", "api_snapshot_changes"), "snapshot"),
    "api_end_announcement": "announcement",
    "api_begin_round": "own round",
    "api_own_attempt": "own attempt",
    "api_dismiss_announcement": "own announcement",
    **dict.fromkeys(("api_round", "api_open_round", "api_end_round", "api_move_round_up", "api_attempts"), "round"),
    "api_round_item": "round item",
    **dict.fromkeys(("api_round_items", "api_confirm_round", "api_decide_by_hand"), "round"),
    **dict.fromkeys(("api_faq_entry", "api_move_faq_entry_up", "api_move_faq_entry_down"), "entry"),
    **dict.fromkeys(("api_attempt", "api_decide_attempt"), "attempt"),
    **dict.fromkeys(("api_adjudicate", "api_make_check", "api_item"), "judged"),
    "api_results_file": "results file",
    **dict.fromkeys(("api_platform_connection", "api_try_platform_connection"), "connection of the platform"),
    **dict.fromkeys(("api_check", "api_retire_check", "api_use_check"), "check"),
    "api_undo_check_action": "action",
    **dict.fromkeys(("api_submission", "api_approve_submission", "api_reject_submission"), "visit"),
    "api_bonus_of_submission": "visit",
    **dict.fromkeys(("api_participants_file", "api_participants_comparison"), "participants"),
    "api_store_participants": "participants",
    **dict.fromkeys(("api_order", "api_settle_order", "api_order_again", "api_publish_study"), "order"),
    **dict.fromkeys(("api_export", "api_export_file"), "export"),
    "api_scheme_migration": "migration",
    "api_plan_chart": "plan chart",
    **dict.fromkeys(("api_import", "api_import_preview", "api_check_import", "api_store_import"), "import"),
    "api_upload": "upload",
    "api_revoke_release_link": "link",
    "api_revoke_release_right": "right",
}
"""What an address with the key of a row in a study is about, where it is no member."""


def address_of(line: Line, world: World) -> str:
    if line.name not in world.addresses:
        world.addresses[line.name] = _address_of(line, world)
    return world.addresses[line.name]


def _address_of(line: Line, world: World) -> str:
    if line.name in ABOUT:
        with suppress(NoReverseMatch):
            return reverse(line.name, kwargs=world.named[ABOUT[line.name]])
    for kwargs in world.named.values():
        with suppress(NoReverseMatch):
            return reverse(line.name, kwargs=kwargs)
    raise LookupError(line.name)


def ask(client: Client, line: Line, world: World) -> Any:
    address, body = address_of(line, world), line.body(world)
    if line.name == "api_corpora" and line.method == "POST":
        return client.post(f"{address}?name=Rows", '{"question": "Why?"}', content_type="application/x-ndjson")
    if line.name == "api_imports" and line.method == "POST":
        return client.post(address, {"files": [SimpleUploadedFile("b.csv", b"question\nWhy?\n")]})
    if line.name == "api_participants_files" and line.method == "POST":
        return client.post(address, {"file": SimpleUploadedFile("b.csv", b"Submission id,Participant id,Status\n")})
    if line.name == "api_results_files" and line.method == "POST":
        return client.post(address, {"file": SimpleUploadedFile("b.csv", as_csv(row(1)))})
    data = "" if line.method == "GET" else json.dumps(body)
    return client.generic(line.method, address, data, content_type="application/json", headers={"if-match": "*"})


def test_every_address_and_method_has_a_line() -> None:
    there_are = {
        (str(pattern.name), method)
        for pattern in v1
        if isinstance(pattern, URLPattern)
        for method in pattern.callback.view_class(**{}).allowed_methods
        if method != "OPTIONS"
    }
    assert there_are == {(line.name, line.method) for line in LINES}


def assert_gets_what_is_due(line: Line, rows: World, name: str, scope: str) -> None:
    with transaction.atomic():
        reply = ask(with_token(rows.tokens[name, scope]), line, rows)
        transaction.set_rollback(True)
    status = reply.status_code
    told = f"{name} with {scope}: {status}"
    if line.scope not in granted([scope]):
        assert (status, reply.json()["code"]) == (403, "api.scope_missing"), told
    elif name in line.who and line.missing:
        assert (status, reply.json()["code"]) == (404, line.missing), told
    elif name in line.who:
        assert status not in (401, 403, 404, 405, 500), told
    else:
        assert status == 404, told
        assert reply.json()["code"] != line.missing


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.method} {line.name}")
def test_who_gets_in(line: Line, rows: World) -> None:
    """Whom it is for, with just the scope that it takes, the others not with the widest, and nobody with another."""
    enough = [scope for scope in SCOPES if line.scope in granted([scope])]
    for name in rows.people:
        assert_gets_what_is_due(line, rows, name, line.scope if name in line.who else enough[-1])
    for scope in set(SCOPES) - {*enough}:
        assert_gets_what_is_due(line, rows, min(line.who or rows.people), scope)


@pytest.mark.long(*rests_on.ACCESS)
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.method} {line.name}")
def test_who_gets_in_with_which_scope(line: Line, rows: World) -> None:
    for name, scope in rows.tokens:
        assert_gets_what_is_due(line, rows, name, scope)


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.method} {line.name}")
def test_nobody_without_a_token(line: Line, rows: World) -> None:
    assert ask(Client(), line, rows).status_code == 401
    assert ask(with_token("ap_12345678_made-up"), line, rows).status_code == 401


@lru_cache
def described() -> Any:
    return Client().get("/api/openapi.json").json()


HAS_NO_TAG = {
    "api_draft": "its body has the version",
    "api_adjudicate": "everybody writes a decision of their own",
    "api_own_languages": "one's own",
    "api_upload": "the offset of the part says what it changes",
    "api_own_mail_wishes": "one's own",
}
"""Why a PUT or PATCH takes no ``If-Match``."""
CHANGES = [line for line in LINES if line.method in ("PUT", "PATCH")]


def test_every_change_of_the_description_has_a_line_and_says_whether_it_takes_a_tag(rows: World) -> None:
    paths: dict[str, Any] = described()["paths"]
    takes_tag = {
        (path, method.upper()): "If-Match" in {each["name"] for each in operation.get("parameters", [])}
        for path, operations in paths.items()
        for method, operation in operations.items()
        if method in ("put", "patch")
    }
    lines = {(_path(line, rows, paths), line.method): line.name not in HAS_NO_TAG for line in CHANGES}
    assert lines == takes_tag


def _path(line: Line, rows: World, paths: Iterable[str]) -> str:
    """Of the description; of several that fit, the one with the fewest parameters."""
    address = address_of(line, rows)
    fitting = [
        path for path in paths if re.fullmatch(re.sub(r"{\w+}", ".+" if "{path}" in path else "[^/]+", path), address)
    ]
    return min(fitting, key=lambda path: path.count("{"))


@pytest.mark.parametrize("line", [each for each in CHANGES if each.name not in HAS_NO_TAG], ids=lambda line: line.name)
def test_nobody_changes_what_somebody_else_has_changed(line: Line, rows: World) -> None:
    who = "operator" if line.who == {"operator"} else "researcher" if "researcher" in line.who else "admin"
    client, address = with_token(rows.tokens[who, "admin"]), address_of(line, rows)

    def change(**headers: str) -> Any:
        body = json.dumps(line.body(rows))
        return client.generic(line.method, address, body, content_type="application/json", headers=headers)

    before, events = client.get(address), Event.objects.count()
    for headers in ({"if-match": '"another"'}, {"if-match": '"a", W/"b"'}, {"if-none-match": "*"}):
        reply = change(**headers)
        assert (reply.status_code, reply.json()["code"]) == (412, "api.version_differs"), headers
    after = client.get(address)
    assert (after.json(), after["ETag"], Event.objects.count()) == (before.json(), before["ETag"], events)
    assert change(**{"if-match": before["ETag"]}).status_code not in (412, 428)


@pytest.mark.parametrize("line", [line for line in LINES if line.method == "GET"], ids=lambda line: line.name)
def test_numbers_that_are_none_break_nothing(line: Line, rows: World) -> None:
    who = "operator" if line.who == {"operator"} else "researcher" if "researcher" in line.who else "admin"
    client = with_token(rows.tokens[who, "annotate" if line.scope == "annotate" else "admin"])
    paths: dict[str, Any] = described()["paths"]
    operation = paths[_path(line, rows, paths)]["get"]
    names = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
    for name in names:
        assert client.get(address_of(line, rows), {name: "9" * 5_000}).status_code < 500, name
    longest = re.sub(r"(?<=/)\d+(?=/|$)", "9" * 10_000, address_of(line, rows), count=1)
    assert client.get(longest).status_code < 500


def test_a_method_that_is_not_there_is_refused_as_such(rows: World) -> None:
    reply = with_token(rows.tokens["admin", "admin"]).put(f"/api/v1/studies/{rows.study.slug}")
    assert (reply.status_code, reply.json()["code"]) == (405, "api.method_not_allowed")


def test_a_removed_researcher_loses_the_study_at_once(rows: World) -> None:
    Member.objects.filter(study=rows.study, user=rows.people["researcher"]).delete()
    line = next(line for line in LINES if line.name == "api_study")
    assert ask(with_token(rows.tokens["researcher", "admin"]), line, rows).status_code == 404
