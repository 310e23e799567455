"""Scripted agents: they write what a client writes, and no model is asked."""
