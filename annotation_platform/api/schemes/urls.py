from django.urls import path

from annotation_platform.api.schemes import migrations, views

_OF_STUDY = "studies/<slug:slug>/scheme"
urlpatterns = [
    path("schemes", views.Schemes.as_view(), name="api_schemes"),
    path("schemes/check", views.CheckScheme.as_view(), name="api_check_scheme"),
    path("schemes/<slug:key>", views.Preset.as_view(), name="api_preset"),
    path(f"{_OF_STUDY}/versions", migrations.Versions.as_view(), name="api_scheme_versions"),
    path(f"{_OF_STUDY}/migrations", migrations.Migrations.as_view(), name="api_scheme_migrations"),
    path(f"{_OF_STUDY}/migrations/<int:pk>", migrations.OneMigration.as_view(), name="api_scheme_migration"),
]
