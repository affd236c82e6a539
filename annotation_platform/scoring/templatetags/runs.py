"""What pages call runs and those who do them."""

from django import template

from annotation_platform.scoring.methods import run_title, scorer_title

register = template.Library()
register.filter("run_title", run_title)
register.filter("scorer_title", scorer_title)
