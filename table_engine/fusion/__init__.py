"""Observations of several sensors → what moved: time windows, hypotheses, confidence. Pure; `observe` is the door."""
