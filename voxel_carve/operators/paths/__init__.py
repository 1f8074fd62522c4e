"""Making paths: new, from annotations and from files; and the paths of a recipe."""
