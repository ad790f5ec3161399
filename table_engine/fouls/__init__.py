"""The fouls, one file each."""
