from django.urls import path

from annotation_platform.api.exports import views

_EXPORTS = "studies/<slug:slug>/exports"
urlpatterns = [
    path(_EXPORTS, views.Exports.as_view(), name="api_exports"),
    path(f"{_EXPORTS}/<int:pk>", views.OneExport.as_view(), name="api_export"),
    path(f"{_EXPORTS}/<int:pk>/file", views.ExportFile.as_view(), name="api_export_file"),
]
