"""Attacks from outside by foreign clients, and what others notice: `make attack`."""
