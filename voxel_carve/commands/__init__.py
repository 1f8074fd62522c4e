"""What the command line takes, and the commands beside the one that carves."""
