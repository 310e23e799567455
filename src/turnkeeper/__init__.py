"""Turnkeeper keeps every turn of every coding agent, and keeps whose turn it is."""

__version__ = "0.1.0"
