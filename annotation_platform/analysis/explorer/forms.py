"""The explorer's form."""

from django import forms


class SearchForm(forms.Form):
    """What the explorer looks for; a value that is nothing to look for finds as if it were not there."""

    q = forms.CharField(required=False, max_length=200)
    said = forms.CharField(required=False, max_length=200)
    label = forms.CharField(required=False, max_length=200)
    theme = forms.CharField(required=False, max_length=60)
    aspect = forms.CharField(required=False, max_length=40)
    system = forms.CharField(required=False, max_length=200)
    annotator = forms.CharField(required=False, max_length=60)
    flag = forms.CharField(required=False, max_length=40)
    seen = forms.CharField(required=False, max_length=40)
    sort = forms.CharField(required=False, max_length=40)
    after = forms.CharField(required=False, max_length=80)
    before = forms.CharField(required=False, max_length=80)
