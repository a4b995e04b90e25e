"""Owns what a finished round is worth to those who learn from it; knows no rule."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Reward", "rewards_of"]


class Reward(StrEnum):
    """What a seat is given at the end of a round, in points; every other decision gives 0."""

    SCORE = "score"
    """Its own score. Over a match they add up to its total."""
    MARGIN = "margin"
    """Its own score less the mean of the other three: the four add up to 0."""


def rewards_of(scores_tenths: NDArray[np.int32], reward: Reward) -> NDArray[np.float64]:
    """Rewards in points for scores in tenths; both have the four seats on their last axis."""
    points = scores_tenths / 10
    if reward is Reward.SCORE:
        return points
    others = (points.sum(axis=-1, keepdims=True) - points) / 3
    margins: NDArray[np.float64] = points - others
    return margins
