"""Game records other programs wrote, read into our own actions."""
