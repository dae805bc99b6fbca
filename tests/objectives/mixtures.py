"""Neighbor probabilities mixed with groups, pair by pair: what objectives are held against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.supervision import Supervision


def groups_of(supervision: Supervision | None, labels: bool) -> list[tuple[str, Any, Any]]:
    """Return (kind, members, weights) of each group."""
    if supervision is None:
        return []
    found = [("link", np.asarray(g), np.ones(len(g))) for g in supervision.links]
    K = len(supervision.classes)
    if labels and K:
        targets = np.nan_to_num(supervision.targets())
        top = np.where(targets.any(axis=1), targets.argmax(axis=1), -1)
        strength = (K * targets.max(axis=1) - 1) / (K - 1) if K > 1 else np.ones(len(top))
        for k in range(K):
            members = np.flatnonzero((top == k) & (strength > 0))
            if members.size > 1:
                found.append(("class", members, strength[members]))
    return found


def perplexity(P: Any) -> float:
    """Return exp of the mean entropy of the rows, each normalized."""
    rows = P / P.sum(axis=1, keepdims=True)
    return math.exp(-np.mean([(r[r > 0] * np.log(r[r > 0])).sum() for r in rows]))


def own_affinities(p: Any, target: float) -> Any:
    """Return p^κ, normalized, of the given perplexity or the nearest to it."""
    if not p.any():
        return p
    logs = np.log(p[p > 0] / p.max())

    def powers(log_kappa: float) -> Any:
        w = np.exp(math.exp(log_kappa) * logs)
        return w / w.sum()

    low, high = -7.0, 7.0
    for _ in range(60):
        middle = (low + high) / 2
        w = powers(middle)
        if -(w[w > 0] * np.log(w[w > 0])).sum() > math.log(target):
            low = middle
        else:
            high = middle
    result = np.zeros(p.size)
    result[p > 0] = powers((low + high) / 2)
    return result


def asked_for(P: Any, groups: Any, given: float) -> tuple[Any, Any, Any]:
    """Return t_i and u_ij of the structured form, and the even part of must-links in u_ij."""
    n = len(P)
    total, u, even_of_links = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    for kind, members, w in groups:
        m = len(members)
        for a, i in enumerate(members):
            p = np.array([P[i, j] if j != i else 0.0 for j in members])
            even = np.array([0.0 if j == i else wj for j, wj in zip(members, w)])
            strength = 1.0 if kind == "link" else w[a] * even.sum() / (given / 2)
            even = even / even.sum()
            spread, left = even, 1.0
            if m >= 3 and p.any():
                target = max(1.0, min(given, m / 3, 30.0))
                count = min(m - 1, math.ceil(3 * target))
                p = np.where(p >= np.sort(p)[-count], p, 0)
                own = own_affinities(p, target) * w
                spread, left = even / 2 + own / own.sum() / 2, 0.5
            u[i, members] += strength * spread
            total[i] += strength
            if kind == "link":
                even_of_links[i, members] += left * even
    linked = total > 0
    u[linked] /= total[linked, None]
    even_of_links[linked] /= total[linked, None]
    return np.minimum(total, 1), u, even_of_links


def joint_mixture(
    P: Any, supervision: Supervision | None, rho: float, links: str
) -> tuple[Any, Any]:
    """Return P̃ of the joint form, and of it the part that pulls from afar."""
    given = perplexity(P)
    P = without(P, supervision)
    P = P / P.sum()
    groups = groups_of(supervision, True)
    by_u = [g for g in groups if links == "uniform" or (g[0] == "link" and len(g[1]) == 2)]
    rest = [g for g in groups if not any(g is other for other in by_u)]
    t, u, even_of_links = asked_for(P, rest, given)
    s = P.sum(axis=1)
    k = 1 - rho * t
    A, far = (rho * (s * t)[:, None] * part for part in (u, even_of_links))
    mixed, far = P * (k[:, None] + k) / 2 + (A + A.T) / 2, (far + far.T) / 2
    U = np.zeros_like(P)
    for _, members, w in by_u:
        U[np.ix_(members, members)] += np.outer(w, w)
    np.fill_diagonal(U, 0)
    if U.any():
        share = rho * min(1.0, U.sum() / 2 / len(P))
        mixed = (1 - share) * mixed + share * U / U.sum()
        far = (1 - share) * far + share * U / U.sum()
    return mixed, (far if links == "structured" else 0 * far)


def row_mixture(
    P: Any, supervision: Supervision | None, rho: float, links: str, labels: bool = True
) -> Any:
    """Return p̃ of the row form."""
    given = perplexity(P)
    P = without(P, supervision)
    P = P / P.sum(axis=1, keepdims=True)
    groups = groups_of(supervision, labels)
    if links == "uniform":
        u = np.zeros_like(P)
        for _, members, w in groups:
            u[np.ix_(members, members)] += np.outer(w, w)
        np.fill_diagonal(u, 0)
        t = (u.sum(axis=1) > 0).astype(float)
        u /= np.maximum(u.sum(axis=1), 1e-300)[:, None]
    else:
        t, u, _ = asked_for(P, groups, given)
    return (1 - rho * t)[:, None] * P + rho * t[:, None] * u


def without(P: Any, supervision: Supervision | None) -> Any:
    """Return P with nothing across cannot-links."""
    P = P.copy()
    for a, b in () if supervision is None else supervision.cannot_links:
        P[np.ix_(a, b)] = P[np.ix_(b, a)] = 0
    return P
