from django.urls import path

from annotation_platform.studies import views

urlpatterns = [path("<str:token>/", views.join, name="join")]
