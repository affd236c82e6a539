"""The exports and releases of a study, under its address; and releases by links and rights that were handed out."""

from django.urls import URLPattern, URLResolver, include, path

from annotation_platform.releases import views
from annotation_platform.releases.freeze import given_page, page
from annotation_platform.releases.freeze.comparing.page import changes
from annotation_platform.releases.labelers.page import for_labeler
from annotation_platform.releases.training.page import training

release_urlpatterns = [
    path("", page.release, name="release"),
    path("settle/", page.settle, name="settle_release"),
    path("give-up/", page.give_up, name="give_up_release"),
    path("withdraw/", page.withdraw, name="withdraw_release"),
    path("links/", page.make_link, name="make_release_link"),
    path("links/<int:pk>/revoke/", page.revoke_link, name="revoke_release_link"),
    path("rights/", page.give_right, name="give_release_right"),
    path("rights/<int:pk>/revoke/", page.revoke_right, name="revoke_release_right"),
    path("download/", page.download, name="download_release"),
    path("changes/", changes, name="release_changes"),
    path("training/", training, name="release_training"),
    path("for/<str:tool>/", for_labeler, name="release_for_labeler"),
    path("files/<path:path>", page.one_file, name="release_file"),
]

shared_urlpatterns = [
    path("", given_page.given_releases, name="given_releases"),
    path("<str:token>/", page.shared, name="shared_release"),
    path("<str:token>/download/", page.shared_download, name="download_shared_release"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("exports/", views.exports, name="exports"),
    path("exports/request/", views.request_export, name="request_export"),
    path("exports/<int:pk>/", views.download_export, name="download_export"),
    path("releases/", page.releases, name="releases"),
    path("releases/request/", page.request_release, name="request_release"),
    path("releases/<int:number>/", include(release_urlpatterns)),
]
