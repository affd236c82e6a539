from django.urls import path

from annotation_platform.api.figures import bundles, drawing, views

_STUDY = "studies/<slug:slug>"
urlpatterns = [
    path(f"{_STUDY}/snapshots", views.Snapshots.as_view(), name="api_snapshots"),
    path(f"{_STUDY}/snapshots/<int:pk>", views.OneSnapshot.as_view(), name="api_snapshot"),
    path(f"{_STUDY}/snapshots/<int:pk>/changes", views.SnapshotsCompared.as_view(), name="api_snapshot_changes"),
    path(f"{_STUDY}/bundles", bundles.Bundles.as_view(), name="api_bundles"),
    path(f"{_STUDY}/bundles/<int:pk>/file", bundles.BundleFile.as_view(), name="api_bundle_file"),
    path("plan", drawing.StatedPlan.as_view(), name="api_plan"),
    path("plan/charts/<slug:name>", drawing.PlanChart.as_view(), name="api_plan_chart"),
    path(f"{_STUDY}/charts/<slug:aspect>/<slug:name>", drawing.Chart.as_view(), name="api_chart"),
    path(f"{_STUDY}/figures", views.Sections.as_view(), name="api_sections"),
    path(f"{_STUDY}/figures/<slug:section>", views.Figures.as_view(), name="api_figures"),
    path(f"{_STUDY}/figures/<slug:section>/schema", views.FiguresSchema.as_view(), name="api_figures_schema"),
]
