from django.urls import path

from annotation_platform.api.schemes import views

urlpatterns = [
    path("schemes", views.Schemes.as_view(), name="api_schemes"),
    path("schemes/check", views.CheckScheme.as_view(), name="api_check_scheme"),
    path("schemes/<slug:key>", views.Preset.as_view(), name="api_preset"),
]
