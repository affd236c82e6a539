from django.urls import path

from annotation_platform.api.releases import rights, taking, views

_RELEASES = "studies/<slug:slug>/releases"
_ONE = f"{_RELEASES}/<int:number>"
urlpatterns = [
    path("releases", rights.GivenReleases.as_view(), name="api_given_releases"),
    path(_RELEASES, views.Releases.as_view(), name="api_releases"),
    path(_ONE, views.OneRelease.as_view(), name="api_release"),
    path(f"{_ONE}/settle", views.SettleRelease.as_view(), name="api_settle_release"),
    path(f"{_ONE}/give-up", views.GiveUpRelease.as_view(), name="api_give_up_release"),
    path(f"{_ONE}/withdraw", views.WithdrawRelease.as_view(), name="api_withdraw_release"),
    path(f"{_ONE}/changes", views.ReleaseChanges.as_view(), name="api_release_changes"),
    path(f"{_ONE}/file", views.ReleaseFile.as_view(), name="api_release_file"),
    path(f"{_ONE}/files/<path:path>", views.ReleasePart.as_view(), name="api_release_part"),
    path(f"{_ONE}/training", taking.TrainingData.as_view(), name="api_release_training"),
    path(f"{_ONE}/for/<slug:tool>", taking.ReleaseForTool.as_view(), name="api_release_for_tool"),
    path(f"{_ONE}/links", views.Links.as_view(), name="api_release_links"),
    path(f"{_ONE}/links/<int:pk>/revoke", views.RevokeLink.as_view(), name="api_revoke_release_link"),
    path(f"{_ONE}/rights", rights.Rights.as_view(), name="api_release_rights"),
    path(f"{_ONE}/rights/<int:pk>/revoke", rights.RevokeRight.as_view(), name="api_revoke_release_right"),
]
