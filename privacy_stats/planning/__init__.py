"""Before a survey: how many users, or how much budget, an interval of a wanted width takes."""

from privacy_stats.planning.plan import Plan, plan
from privacy_stats.planning.rmse import plot_rmse

__all__ = ["Plan", "plan", "plot_rmse"]
