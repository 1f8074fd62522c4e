"""Formulas, each written once: plain functions, which every engine reads from here.

A module of formulas holds functions and named constants. A function uses only its arguments, other formulas, the
constants of its module, and the names of `language`. Plain Python runs it as it stands. `binding.Binder` turns it into
a function of numba, of Warp, or of whole numpy arrays, with numbers of another type.

What all engines understand:

- Parameters are annotated with `float`, `int`, `bool`, or a type of `language`. Several results form a tuple.
- Floating-point numbers are named constants: a literal would be float64 for numba, and float32 for Warp.
- A variable that a loop changes begins as `real(ZERO)`, `int(0)` or `bool(False)`, not as a constant.
- A function may write to arguments that are a `Row`, a `Table` or a `Cell` of `language`. It never creates one.
- `min` and `max` take two arguments. Comparisons are not chained.
- A formula that numpy reads has no branches: it uses `where`, and no `and`.
- The order of operations decides the last bit: brackets fix it where it matters.
"""
