"""What lies within a radius of what: points, moves that repeat others, and parts of a surface that stand apart."""
