"""The jobs that operators start on a background thread: how they read, run and write."""
