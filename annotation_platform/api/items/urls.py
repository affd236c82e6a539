from django.urls import path

from annotation_platform.api.items import one, search, views

urlpatterns = [
    path("studies/<slug:slug>/items", views.Items.as_view(), name="api_items"),
    path("studies/<slug:slug>/items/<int:pk>", one.OneItem.as_view(), name="api_item"),
    path("studies/<slug:slug>/items/search", search.Search.as_view(), name="api_search"),
]
