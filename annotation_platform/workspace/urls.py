"""The start page, the study builder, and the pages around a study under the study's address."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from annotation_platform.workspace import home
from annotation_platform.workspace.assignments import page as assignments
from annotation_platform.workspace.batches import choosing, cutting
from annotation_platform.workspace.batches import page as batches
from annotation_platform.workspace.builder import page as builder
from annotation_platform.workspace.history import page as history
from annotation_platform.workspace.people import page as people
from annotation_platform.workspace.planning import page as planning
from annotation_platform.workspace.scheme import page as scheme
from annotation_platform.workspace.settings import page as settings
from annotation_platform.workspace.study import page as study
from annotation_platform.workspace.tokens import page as tokens

batch_urlpatterns: list[URLPattern] = [
    path("", batches.batch, name="batch"),
    path("open/", batches.open_batch, name="open_batch"),
    path("close/", batches.close_batch, name="close_batch"),
    path("keep-open/", batches.keep_batch_open, name="keep_batch_open"),
    path("reopen/", batches.reopen_batch, name="reopen_batch"),
    path("deadline/", batches.set_deadline, name="set_deadline"),
    path("assignments/<int:pk>/", assignments.assignment, name="assignment"),
    path("assignments/<int:pk>/extend/", assignments.extend_lease, name="extend_lease"),
    path("assignments/<int:pk>/release/", assignments.release_assignment, name="release_assignment"),
]

people_urlpatterns: list[URLPattern] = [
    path("", people.people, name="people"),
    path("invite/", people.invite, name="invite"),
    path("welcome/", people.welcome, name="welcome"),
    path("<int:pk>/pause/", people.pause, name="pause_member"),
    path("invitations/<int:pk>/revoke/", people.revoke, name="revoke_invitation"),
    re_path(r"^(?P<pk>\d+)/(?P<action>role|remove|restore|hand-over)/$", people.change_member, name="change_member"),
]

study_urlpatterns: list[URLPattern | URLResolver] = [
    path("", study.study, name="study"),
    path("scheme/", scheme.edit_scheme, name="edit_scheme"),
    path("plan/use/", planning.use_plan, name="use_plan"),
    path("score-again/", study.score_again, name="score_again"),
    path("people/", include(people_urlpatterns)),
    path("history/", history.history, name="history"),
    path("settings/", settings.study_settings, name="study_settings"),
    path("settings/tokens/", tokens.study_tokens, name="study_tokens"),
    path("settings/tokens/<int:pk>/revoke/", tokens.revoke_study_token, name="revoke_study_token"),
    path("batches/cut/", cutting.cut, name="cut_batches"),
    path("batches/choose/", choosing.choose_tasks, name="choose_tasks"),
    path("batches/<int:number>/", include(batch_urlpatterns)),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("new-study/", builder.build_study, name="build_study"),
    path("plan/", planning.plan, name="plan"),
    re_path(r"^plan/(?P<name>[a-z-]+)\.(?P<kind>json|svg|png|csv)$", planning.plan_file, name="plan_file"),
    path("studies/", RedirectView.as_view(pattern_name="home")),  # who shortens an address by hand
    path("studies/<slug:slug>/", include(study_urlpatterns)),
]
