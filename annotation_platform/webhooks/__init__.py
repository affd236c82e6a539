"""Webhooks: programs elsewhere are told what happened in a study, signed as Standard Webhooks says."""
