"""Owns what the project's makers run and its users never need; nothing in `arena` imports it."""
