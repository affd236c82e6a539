from django.urls import path

from annotation_platform.api.jobs import views

urlpatterns = [path("jobs/<slug:name>", views.OneJob.as_view(), name="api_job")]
