from django.urls import path

from annotation_platform.api.events import views

urlpatterns = [path("studies/<slug:slug>/events", views.Events.as_view(), name="api_events")]
