"""Owns the bridge to bots that speak the Smart Bots HTTP protocol of 2022; must not know the referee."""
