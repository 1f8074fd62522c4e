"""From a field to its surface: rims are cut where the grid cannot hold them."""
