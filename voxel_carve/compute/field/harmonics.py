"""Harmonic polynomials of DEGREE: what a potential is like, far from its sources.

The coefficients of a polynomial stand in the order in which Horner's method takes them: see `EXPONENTS`.
"""

import functools

import numpy as np
import numpy.typing as npt

from ..runtime.threads import slices

Array = npt.NDArray[np.float64]

DEGREE = 5
# (COUNT, 3) of x, y and z.
EXPONENTS = np.array(
    [(DEGREE - a, a - b, b - c) for a in range(DEGREE + 1) for b in range(a + 1) for c in range(b + 1)]
)
COUNT = len(EXPONENTS)
LEAST_THREADED = 1 << 18  # multiplications: OpenBLAS uses one thread up to there
NODES = 48


def values(points: Array) -> Array:
    """(N, COUNT) the monomials at points (N, 3)."""
    return _monomials(_powers(points), EXPONENTS)


def gradients(points: Array) -> Array:
    """(N, 3, COUNT) the gradients of the monomials at points (N, 3)."""
    powers = _powers(points)
    lower = [np.maximum(EXPONENTS - step, 0) for step in np.eye(3, dtype=int)]
    return np.stack([EXPONENTS[:, k] * _monomials(powers, lower[k]) for k in range(3)], axis=1)


def product(rows: Array, matrix: Array) -> Array:
    """(N, K) the product of rows (N, J) and a matrix (J, K), a few rows at a time.

    A large product would wake threads of numpy's own. After it, these spin for a while, and take the cores from ours.
    """
    out = np.empty((len(rows), matrix.shape[1]))
    for part in slices(len(rows), max(1, LEAST_THREADED // matrix.size)):
        np.matmul(rows[part], matrix, out=out[part])
    return out


def curvature_bounds(polynomials: Array, distance: float) -> Array:
    """(N,) upper bounds of the second derivatives of polynomials (N, COUNT) within a distance."""
    degree = EXPONENTS.sum(axis=1)
    most = degree * (degree - 1.0) * distance ** np.maximum(degree - 2.0, 0.0)
    bounds: Array = product(np.abs(polynomials), most[:, None])[:, 0]
    return bounds


@functools.cache
def nodes() -> Array:
    """(NODES, 3) points that are spread evenly over the unit sphere: on a spiral (Vogel 1979)."""
    step = np.arange(NODES) + 0.5
    z, turn = 1 - 2 * step / NODES, np.pi * (1 + np.sqrt(5.0)) * step
    return np.stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z], axis=1)


@functools.cache
def fit() -> Array:
    """(COUNT, NODES) gives the harmonic polynomial through values at `nodes`, by least squares."""
    place = {tuple(powers): n for n, powers in enumerate(EXPONENTS.tolist())}
    laplacian = np.zeros((COUNT, COUNT))
    for n, powers in enumerate(EXPONENTS.tolist()):
        for k, power in enumerate(powers):
            if power >= 2:
                lower = [p - 2 * (j == k) for j, p in enumerate(powers)]
                laplacian[place[tuple(lower)], n] += power * (power - 1)
    _, size, directions = np.linalg.svd(laplacian)
    harmonic = directions[size < 1e-9].T
    return harmonic @ np.linalg.pinv(values(nodes()) @ harmonic)


def _powers(points: Array) -> Array:
    """(N, 3, DEGREE + 1) of x, y and z."""
    return points[:, :, None] ** np.arange(DEGREE + 1)


def _monomials(powers: Array, exponents: npt.NDArray[np.integer]) -> Array:
    """(N, M) products of powers, with exponents (M, 3)."""
    x, y, z = (powers[:, k, exponents[:, k]] for k in range(3))
    product: Array = x * y * z
    return product
