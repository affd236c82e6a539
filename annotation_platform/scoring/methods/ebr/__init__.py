"""Explanation-based rescaling."""
