"""Owns the code generated from `proto/arena/v1`; nothing here is written by hand."""
