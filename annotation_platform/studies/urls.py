from django.urls import path

from annotation_platform.studies.views import joining, schema

urlpatterns = [
    path("join/<str:token>/", joining.join, name="join"),
    path("join-by-mail/<str:token>/", joining.join_by_mail, name="join_by_mail"),
    path("schemes/schema.json", schema.scheme_schema, name="scheme_schema"),
]
