"""Owns who is better, and how sure that is: pure functions of results. Must not know where they are kept."""
