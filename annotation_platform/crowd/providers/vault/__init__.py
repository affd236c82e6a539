"""The one place that knows who somebody is on another platform. All else knows a pseudonym."""
