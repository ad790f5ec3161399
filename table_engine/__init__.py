"""The table engine: follows a real game from sensor observations and judges it under a rule set."""
