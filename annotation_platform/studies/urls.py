from django.urls import path

from annotation_platform.studies import views

urlpatterns = [
    path("join/<str:token>/", views.join, name="join"),
    path("schemes/schema.json", views.scheme_schema, name="scheme_schema"),
]
