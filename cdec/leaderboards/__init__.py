"""A leaderboard of systems in a folder, and the study of published ones."""
