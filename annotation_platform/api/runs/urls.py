from django.urls import path

from annotation_platform.api.runs import connections, prompts, reading, results, settings, views

_STUDY = "studies/<slug:slug>"
_ONE = f"{_STUDY}/runs/<int:pk>"
urlpatterns = [
    path(f"{_STUDY}/methods", views.Methods.as_view(), name="api_methods"),
    path(f"{_STUDY}/methods/<slug:method>/prompts", prompts.Prompts.as_view(), name="api_prompts"),
    path(f"{_STUDY}/scoring", settings.ScoringOfStudy.as_view(), name="api_scoring"),
    path(f"{_STUDY}/connections", connections.Connections.as_view(), name="api_connections"),
    path(f"{_STUDY}/connections/<int:pk>", connections.OneConnection.as_view(), name="api_connection"),
    path(f"{_STUDY}/connections/<int:pk>/try", connections.TryConnection.as_view(), name="api_try_connection"),
    path("connections", connections.PlatformConnections.as_view(), name="api_platform_connections"),
    path("connections/<int:pk>", connections.OnePlatformConnection.as_view(), name="api_platform_connection"),
    path(
        "connections/<int:pk>/try",
        connections.TryPlatformConnection.as_view(),
        name="api_try_platform_connection",
    ),
    path(f"{_STUDY}/unread-replies", reading.UnreadReplies.as_view(), name="api_unread_replies"),
    path(f"{_STUDY}/unread-replies/<int:pk>", reading.UnreadReply.as_view(), name="api_unread_reply"),
    path(f"{_STUDY}/passages/<int:pk>/dismiss", reading.DismissPassage.as_view(), name="api_dismiss_passage"),
    path(f"{_ONE}/passages", reading.Passages.as_view(), name="api_passages"),
    path(f"{_ONE}/beside/<int:other>", reading.RunBeside.as_view(), name="api_run_beside"),
    path(f"{_ONE}/scores", results.Scores.as_view(), name="api_run_scores"),
    path(f"{_ONE}/labels", results.Labels.as_view(), name="api_run_labels"),
    path(f"{_ONE}/item-scores", results.ItemScores.as_view(), name="api_run_item_scores"),
    path(f"{_STUDY}/runs", views.Runs.as_view(), name="api_runs"),
    path(_ONE, views.OneRun.as_view(), name="api_run"),
    path(f"{_ONE}/pause", views.PauseRun.as_view(), name="api_pause_run"),
    path(f"{_ONE}/stop", views.StopRun.as_view(), name="api_stop_run"),
    path(f"{_ONE}/resume", views.ResumeRun.as_view(), name="api_resume_run"),
    path(f"{_ONE}/choose", views.ChooseRun.as_view(), name="api_choose_run"),
]
