from django.urls import path

from annotation_platform.api.items import views

urlpatterns = [path("studies/<slug:slug>/items", views.Items.as_view(), name="api_items")]
