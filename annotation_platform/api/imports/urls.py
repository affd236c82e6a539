from django.urls import path

from annotation_platform.api.imports import uploading, views

urlpatterns = [
    path("import-formats", views.Formats.as_view(), name="api_import_formats"),
    path("uploads", uploading.Uploads.as_view(), name="api_uploads"),
    path("uploads/<int:pk>", uploading.OneUpload.as_view(), name="api_upload"),
    path("imports", views.Imports.as_view(), name="api_imports"),
    path("imports/<int:pk>", views.OneImport.as_view(), name="api_import"),
    path("imports/<int:pk>/preview", views.Preview.as_view(), name="api_import_preview"),
    path("imports/<int:pk>/check", views.Check.as_view(), name="api_check_import"),
    path("imports/<int:pk>/store", views.Store.as_view(), name="api_store_import"),
]
