"""``cdec leaderboard`` and its commands, one module each."""
