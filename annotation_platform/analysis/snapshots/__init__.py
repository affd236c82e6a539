"""Snapshots of a study's figures: taken by a worker, stored, read by pages."""
