"""The one door between rooms: tiles, seats, events, topics, settings, errors. The only part a sensor may import."""
