"""What a job would work on: the selected objects, or the result in question; and why it cannot start."""
