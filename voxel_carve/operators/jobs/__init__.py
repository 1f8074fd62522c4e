"""What operators start: jobs on a thread of their own, what they read, and what becomes of their results."""
