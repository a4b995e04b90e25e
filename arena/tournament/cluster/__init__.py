"""Owns play on a cluster: the nodes' side (`depot`, `outpost`) and the arena's (`ray_executor`).

Jobs, workers and records are those of play on one machine. What is here carries them over a network.
"""
