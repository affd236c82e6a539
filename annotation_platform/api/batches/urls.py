from django.urls import path

from annotation_platform.api.batches import drawing, views

_ONE = "studies/<slug:slug>/batches/<int:number>"
urlpatterns = [
    path("studies/<slug:slug>/batches", views.Batches.as_view(), name="api_batches"),
    path("studies/<slug:slug>/batches/cut", views.CutBatches.as_view(), name="api_cut_batches"),
    path("studies/<slug:slug>/draw", drawing.Draw.as_view(), name="api_draw"),
    path(_ONE, views.OneBatch.as_view(), name="api_batch"),
    path(f"{_ONE}/open", views.OpenBatch.as_view(), name="api_open_batch"),
    path(f"{_ONE}/close", views.CloseBatch.as_view(), name="api_close_batch"),
    path(f"{_ONE}/keep-open", views.KeepBatchOpen.as_view(), name="api_keep_batch_open"),
    path(f"{_ONE}/reopen", views.ReopenBatch.as_view(), name="api_reopen_batch"),
]
