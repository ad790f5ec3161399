"""Automatic table to observations: serial frames in, wire observations out."""
