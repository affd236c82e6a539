"""Webhooks below a study's settings."""

from django.urls import path

from annotation_platform.webhooks import page

urlpatterns = [
    path("settings/webhooks/", page.webhooks, name="study_webhooks"),
    path("settings/webhooks/<int:pk>/", page.webhook, name="study_webhook"),
    path("settings/webhooks/<int:pk>/messages/<int:message>/", page.send_again, name="send_webhook_again"),
]
