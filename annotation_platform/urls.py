"""All addresses. Each app owns its own."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from annotation_platform.crowd import urls as crowd
from annotation_platform.releases.urls import shared_urlpatterns
from annotation_platform.scoring.urls import connection_urlpatterns
from annotation_platform.server.health import health

# The admin site's own sign-in counts no failures; allauth's does.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("health/", health, name="health"),
    path("", include("annotation_platform.workspace.urls")),
    path("", include("annotation_platform.accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    path("api/", include("annotation_platform.api.urls")),
    path("", include("annotation_platform.studies.urls")),
    path("work/", include("annotation_platform.annotations.urls")),
    path("connections/", include(connection_urlpatterns)),
    path("imports/", include("annotation_platform.imports.urls")),
    path("", include(crowd.open_urlpatterns)),
    path("releases/", include(shared_urlpatterns)),
    path("work/", include(crowd.work_urlpatterns)),
    path("studies/<slug:slug>/crowd/", include(crowd.study_urlpatterns)),
    path("studies/<slug:slug>/", include("annotation_platform.scoring.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.analysis.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.releases.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.scoreback.urls")),
    path("studies/<slug:slug>/", include("annotation_platform.webhooks.urls")),
]
