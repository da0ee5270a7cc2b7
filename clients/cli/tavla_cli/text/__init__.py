"""Sentences for players. Pure: views and messages in, text out."""
