"""Before a survey: how many users, or how much budget, an interval of a wanted width takes."""

from privacy_stats.planning.plan import Plan, plan

__all__ = ["Plan", "plan"]
