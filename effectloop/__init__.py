"""Schedules as typed values that compose, and background loops tested without waiting."""
