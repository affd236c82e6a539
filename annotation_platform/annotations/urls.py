from django.urls import path

from annotation_platform.annotations.views import judge, work

urlpatterns = [
    path("take/<slug:slug>/", work.take, name="take"),
    path("assignments/<int:pk>/", work.instructions, name="instructions"),
    path("assignments/<int:pk>/return/", work.give_back, name="give_back"),
    path("assignments/<int:pk>/standing/", work.standing, name="standing"),
    path("assignments/<int:pk>/more-time/", work.more_time, name="more_time"),
    path("assignments/<int:pk>/done/", work.done, name="done"),
    path("assignments/<int:pk>/messages/", work.messages, name="messages"),
    path("assignments/<int:pk>/<int:position>/", judge.judge, name="judge"),
    path("assignments/<int:pk>/<int:position>/draft/", judge.draft, name="draft"),
    path("assignments/<int:pk>/<int:position>/drop-change/", work.drop_change, name="drop_change"),
    path("assignments/<int:pk>/<int:position>/hint/", judge.hint, name="hint"),
]
