from django.urls import path

from annotation_platform.api.crowd import (
    adjudications,
    annotators,
    announcements,
    attempts,
    consent,
    erasing,
    faq,
    languages,
    late,
    pacing,
    pay,
    reviews,
    round_items,
    rounds,
    threads,
)
from annotation_platform.api.crowd.own import urls as own

_STUDY = "studies/<slug:slug>"
_THREAD = f"{_STUDY}/threads/<int:annotator>/<int:assignment>"
_ROUND = f"{_STUDY}/rounds/<int:pk>"
_FAQ = f"{_STUDY}/faq/<int:pk>"
_LATE = f"{_STUDY}/late-work/<int:task>/<int:annotator>"
_WORK = f"{_STUDY}/reviews/<int:pk>/<int:member>"
urlpatterns = [
    *own.urlpatterns,
    path(f"{_STUDY}/threads", threads.Threads.as_view(), name="api_threads"),
    path(_THREAD, threads.OneThread.as_view(), name="api_thread"),
    path(f"{_THREAD}/settle", threads.SettleThread.as_view(), name="api_settle_thread"),
    path(f"{_STUDY}/announcements", announcements.Announcements.as_view(), name="api_announcements"),
    path(f"{_STUDY}/announcements/<int:pk>/end", announcements.EndAnnouncement.as_view(), name="api_end_announcement"),
    path(f"{_STUDY}/faq", faq.Entries.as_view(), name="api_faq"),
    path(_FAQ, faq.OneEntry.as_view(), name="api_faq_entry"),
    path(f"{_FAQ}/up", faq.MoveEntryUp.as_view(), name="api_move_faq_entry_up"),
    path(f"{_FAQ}/down", faq.MoveEntryDown.as_view(), name="api_move_faq_entry_down"),
    path(f"{_STUDY}/consent-texts", consent.ConsentTexts.as_view(), name="api_consent_texts"),
    path(f"{_STUDY}/consents", consent.Consents.as_view(), name="api_consents"),
    path(f"{_STUDY}/languages", languages.Languages.as_view(), name="api_languages"),
    path(f"{_STUDY}/late-work", late.AllLateWork.as_view(), name="api_late_work"),
    path(f"{_LATE}/accept", late.AcceptLateWork.as_view(), name="api_accept_late_work"),
    path(f"{_LATE}/decline", late.DeclineLateWork.as_view(), name="api_decline_late_work"),
    path(f"{_STUDY}/late-judgments", late.LateJudgments.as_view(), name="api_late_judgments"),
    path(f"{_STUDY}/members/<int:pk>/erase", erasing.EraseMember.as_view(), name="api_erase_member"),
    path(f"{_STUDY}/rounds", rounds.Rounds.as_view(), name="api_rounds"),
    path(_ROUND, rounds.OneRound.as_view(), name="api_round"),
    path(f"{_ROUND}/open", rounds.OpenRound.as_view(), name="api_open_round"),
    path(f"{_ROUND}/end", rounds.EndRound.as_view(), name="api_end_round"),
    path(f"{_ROUND}/up", rounds.MoveRoundUp.as_view(), name="api_move_round_up"),
    path(f"{_ROUND}/items", round_items.RoundItems.as_view(), name="api_round_items"),
    path(f"{_ROUND}/items/<int:number>/accepted", round_items.RoundItemKey.as_view(), name="api_round_item"),
    path(f"{_ROUND}/attempts", attempts.Attempts.as_view(), name="api_attempts"),
    path(f"{_ROUND}/confirm", attempts.ConfirmProposals.as_view(), name="api_confirm_round"),
    path(f"{_ROUND}/by-hand", attempts.DecideByHand.as_view(), name="api_decide_by_hand"),
    path(f"{_STUDY}/attempts/<int:pk>", attempts.OneAttempt.as_view(), name="api_attempt"),
    path(f"{_STUDY}/attempts/<int:pk>/decide", attempts.DecideAttempt.as_view(), name="api_decide_attempt"),
    path(f"{_STUDY}/annotators", annotators.Annotators.as_view(), name="api_annotators"),
    path(f"{_STUDY}/pacing", pacing.PacingOfStudy.as_view(), name="api_pacing"),
    path(f"{_STUDY}/pacing/release", pacing.ReleaseBatches.as_view(), name="api_pacing_release"),
    path(f"{_STUDY}/reviews", reviews.Reviews.as_view(), name="api_reviews"),
    path(f"{_WORK}/approve", reviews.ApproveWork.as_view(), name="api_approve_work"),
    path(f"{_WORK}/reject", reviews.RejectWork.as_view(), name="api_reject_work"),
    path(f"{_WORK}/appeal", reviews.AnswerAppeal.as_view(), name="api_answer_appeal"),
    path(f"{_STUDY}/items-apart", adjudications.ItemsApart.as_view(), name="api_items_apart"),
    path(f"{_STUDY}/adjudications", adjudications.Adjudications.as_view(), name="api_adjudications"),
    path(f"{_STUDY}/items/<int:pk>/adjudication", adjudications.Adjudicate.as_view(), name="api_adjudicate"),
    path(f"{_STUDY}/pay", pay.Pay.as_view(), name="api_pay"),
    path(f"{_STUDY}/pay/entries", pay.Entries.as_view(), name="api_pay_entries"),
]
