"""The pages of this app: of one study, and of model connections."""

from django.urls import path, re_path

from annotation_platform.scoring.views import connections, new_runs, runs, settings, unread

urlpatterns = [
    path("scoring/", runs.scoring, name="scoring"),
    path("scoring/settings/", settings.scoring_settings, name="scoring_settings"),
    path("scoring/unread/", unread.unread, name="unread"),
    path("scoring/new/<slug:method>/", new_runs.new_run, name="new_run"),
    path("scoring/new/<slug:method>/prompt/", new_runs.preview_prompt, name="preview_prompt"),
    path("scoring/runs/<int:pk>/", runs.run, name="run"),
    re_path(r"^scoring/runs/(?P<pk>\d+)/(?P<action>pause|stop|resume|choose)/$", runs.change_run, name="change_run"),
    path("connections/", connections.connections, name="study_connections"),
    path("connections/new/", connections.connection, name="new_study_connection"),
    path("connections/<int:pk>/", connections.connection, name="study_connection"),
    path("connections/<int:pk>/try/", connections.try_one, name="try_study_connection"),
    path("scoring/suspicious/<int:pk>/", runs.dismiss_passage, name="dismiss_passage"),
    path("scoring/runs/<int:pk>/beside/<int:other>/", runs.compare_runs, name="compare_runs"),
]

connection_urlpatterns = [
    path("", connections.connections, name="connections"),
    path("new/", connections.connection, name="new_connection"),
    path("<int:pk>/", connections.connection, name="connection"),
    path("<int:pk>/try/", connections.try_one, name="try_connection"),
]
