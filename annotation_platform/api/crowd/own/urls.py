from django.urls import path

from annotation_platform.api.crowd.own import account, before, earnings, leaving, rounds, submissions, words

_STUDY = "work/<slug:slug>"
urlpatterns = [
    path("work/mail-wishes", account.OwnMailWishes.as_view(), name="api_own_mail_wishes"),
    path("work/my-data", account.OwnData.as_view(), name="api_own_data"),
    path("work/my-data/<int:pk>/file", account.OwnDataFile.as_view(), name="api_own_data_file"),
    path("work/earnings", earnings.OwnEarnings.as_view(), name="api_own_earnings"),
    path("work/earnings/entries", earnings.OwnEntries.as_view(), name="api_own_entries"),
    path("work/rounds", rounds.OwnRounds.as_view(), name="api_own_rounds"),
    path("work/rounds/<int:pk>/begin", rounds.BeginRound.as_view(), name="api_begin_round"),
    path("work/attempts/<int:pk>", rounds.OwnAttempt.as_view(), name="api_own_attempt"),
    path("work/submissions", submissions.OwnSubmissions.as_view(), name="api_own_submissions"),
    path("work/submissions/<int:pk>/appeal", submissions.OwnAppeal.as_view(), name="api_own_appeal"),
    path("work/messages", words.OwnThreads.as_view(), name="api_own_threads"),
    path("work/announcements", words.OwnAnnouncements.as_view(), name="api_own_announcements"),
    path("work/announcements/<int:pk>/dismiss", words.DismissAnnouncement.as_view(), name="api_dismiss_announcement"),
    path(f"{_STUDY}/consent", before.OwnConsent.as_view(), name="api_own_consent"),
    path(f"{_STUDY}/languages", before.OwnLanguages.as_view(), name="api_own_languages"),
    path(f"{_STUDY}/faq", words.OwnFaq.as_view(), name="api_own_faq"),
    path(f"{_STUDY}/messages", words.OwnStudyMessages.as_view(), name="api_own_study_messages"),
    path(f"{_STUDY}/leave", leaving.LeaveStudy.as_view(), name="api_leave_study"),
]
