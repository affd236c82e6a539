from django.urls import path

from annotation_platform.api.webhooks import views

_ALL = "studies/<slug:slug>/webhooks"
_ONE = f"{_ALL}/<int:pk>"
urlpatterns = [
    path(_ALL, views.Webhooks.as_view(), name="api_webhooks"),
    path(_ONE, views.OneWebhook.as_view(), name="api_webhook"),
    path(f"{_ONE}/rotate", views.RotateSecret.as_view(), name="api_rotate_webhook"),
    path(f"{_ONE}/test", views.TestWebhook.as_view(), name="api_test_webhook"),
    path(f"{_ONE}/deliveries", views.Deliveries.as_view(), name="api_deliveries"),
    path(f"{_ONE}/deliveries/<int:message>/again", views.SendAgain.as_view(), name="api_send_again"),
]
