from django.urls import path, re_path

from annotation_platform.studies.views import joining, people, schema

urlpatterns = [
    path("join/<str:token>/", joining.join, name="join"),
    path("join-by-mail/<str:token>/", joining.join_by_mail, name="join_by_mail"),
    path("schemes/schema.json", schema.scheme_schema, name="scheme_schema"),
    path("studies/<slug:slug>/people/", people.people, name="people"),
    path("studies/<slug:slug>/people/invite/", people.invite, name="invite"),
    path("studies/<slug:slug>/people/welcome/", people.welcome, name="welcome"),
    path("studies/<slug:slug>/people/invitations/<int:pk>/revoke/", people.revoke, name="revoke_invitation"),
    re_path(
        r"^studies/(?P<slug>[-\w]+)/people/(?P<pk>\d+)/(?P<action>role|remove|restore|hand-over)/$",
        people.change_member,
        name="change_member",
    ),
]
