"""What the doors to array frameworks share: checks of arguments, and the calls on the host that do the work."""
