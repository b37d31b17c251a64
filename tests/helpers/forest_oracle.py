"""A search tree in plain Python, formula by formula from the papers, to check the forest against.

Values count from -1 to 1. What the forest keeps in 32 bits is rounded here too, so that equal numbers stay equal.

Sources: I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022; D. Silver et al., Science 362
(2018), supplement; D. Wu, arXiv:1902.10565 (2019), section 3.2; M. Winands et al., "Monte-Carlo tree search solver",
2008. The shares of sequential halving are those of mctx's ``seq_halving.get_sequence_of_considered_visits``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from plyground.envs import Game
from tests.helpers.repeats import allowed

__all__ = ["Edge", "Node", "Options", "OracleTree", "considered_visits"]

Ask = Callable[[Any, list[int]], tuple[Any, float]]  # state, legal actions -> logits [num_actions], value for the mover


@dataclass
class Edge:
    action: int
    prior: float
    visits: int = 0
    total: float = 0.0
    before: int = 0
    drawn: bool = False  # its visits were draws by repetition
    exact: float | None = None
    child: Node | None = None
    noisy: float = 0.0  # the prior with Dirichlet noise

    @property
    def value(self) -> float:
        return self.total / self.visits if self.exact is None else self.exact

    @property
    def lost(self) -> bool:
        return self.exact == -1


@dataclass
class Node:
    state: Any
    player: int
    value: float
    edges: list[Edge] = field(default_factory=list)
    exact: float | None = None

    @property
    def visits(self) -> int:
        return sum(edge.visits for edge in self.edges)

    def playable(self) -> list[Edge]:
        """Of a proved node the edges that prove it, else those that are not lost."""
        if self.exact is not None:
            return [edge for edge in self.edges if edge.exact == self.exact]
        return [edge for edge in self.edges if not edge.lost]

    def answers(self) -> list[Edge]:
        """Of those, the edges that are not proved to be worth less than another."""
        floor = max((edge.exact for edge in self.edges if edge.exact is not None), default=None)
        return [edge for edge in self.playable() if edge.exact is None or edge.exact == floor]


class Options(NamedTuple):
    root: str = "gumbel"
    considered: int = 16
    c_visit: float = 50.0
    c_scale: float = 1.0
    c: float = 1.25
    c_base: float = 19652.0
    fpu: float = 0.0
    forced: float = 2.0
    noise: float = 0.25
    noise_alpha: float | None = 0.3
    proofs: bool = True
    decisive: bool = False
    superko: bool = True
    repetitions: bool = True


def considered_visits(most: int, simulations: int) -> list[int]:
    """Return for each simulation how many visits the action has that it is for, as mctx does."""
    if most <= 1:
        return list(range(simulations))
    halvings = math.ceil(math.log2(most))
    sequence: list[int] = []
    visits = [0] * most
    considered = most
    while len(sequence) < simulations:
        for _ in range(max(1, int(simulations / (halvings * considered)))):
            sequence.extend(visits[:considered])
            for i in range(considered):
                visits[i] += 1
        considered = max(2, considered // 2)
    return sequence[:simulations]


class OracleTree:
    """One tree."""

    def __init__(self, game: Game, ask: Ask, options: Options) -> None:
        self.game, self.ask, self.options = game, ask, options
        self.root: Node | None = None
        self.past: list[int] = []
        self.evaluations = 0

    def keep(self, action: int) -> None:
        edges = [] if self.root is None else self.root.edges
        self.root = next((edge.child for edge in edges if edge.action == action), None)

    def search(
        self, state: Any, simulations: int, noise: Any, mask: Any = None, past: Iterable[int] = ()
    ) -> dict[str, Any]:
        """Search ``state``. ``noise`` [num_actions] is that of the edges at the root, in their order.

        ``past`` are the repetition keys of the positions that the game has had, the root included or not.
        """
        self.past = list(map(int, past))
        if self.root is None:
            allowed = [a for a in self.game.actions(state) if mask is None or mask[a]]
            self.root = self._expand(state.copy(), allowed)
        root, gumbel = self.root, self.options.root == "gumbel"
        for edge in root.edges:
            edge.before = edge.visits
        if gumbel:
            self.noise = {edge.action: float(noise[i]) for i, edge in enumerate(root.edges)}
            self._halve(root, simulations)
            return self._gumbel_answer(root)
        share = self.options.noise
        total = sum(noise[: len(root.edges)])
        for i, edge in enumerate(root.edges):
            eta = noise[i] / total if total > 0 else edge.prior
            edge.noisy = float(np.float32((1 - share) * edge.prior + share * eta))
        clean = [edge.prior for edge in root.edges]
        for edge in root.edges:
            edge.prior = edge.noisy
        for _ in range(simulations):
            if root.exact is None:
                self._simulate(self._forced(root) or self._puct(root))
        return self._puct_answer(root, clean)

    # A simulation

    def _expand(self, state: Any, allowed: list[int]) -> Node:
        logits, value = self.ask(state, allowed)
        self.evaluations += 1
        weights = {
            a: math.exp(float(np.float32(logits[a]) - np.float32(max(logits[b] for b in allowed)))) for a in allowed
        }
        best = max(allowed, key=lambda a: (logits[a], -a))
        order = [best, *(a for a in allowed if a != best)]
        total = sum(weights.values())
        edges = [Edge(a, float(np.float32(max(np.float32(weights[a]) / total, np.float32(1e-30))))) for a in order]
        return Node(state, int(self.game.player(state)), float(value), edges)

    def _simulate(self, edge: Edge) -> None:
        node = self.root
        assert node is not None
        path = [(node, edge)]
        while edge.child is not None and edge.exact is None:
            node = edge.child
            edge = self._below(node)
            path.append((node, edge))
        player = node.player
        if edge.exact is not None:
            value = edge.exact
        else:
            state = node.state.copy()
            self.game.play(state, edge.action)
            if self.game.is_terminal(state):
                value = float(np.float32(self.game.utility(state, player) / self.game.max_utility))
                if self.options.proofs:
                    self._prove(path, value)
            elif self._comes_again(state, path):
                value = 0.0
            elif self.options.decisive and self._wins_at_once(state, path):
                value = 1.0 if self.game.player(state) == player else -1.0
                self._prove(path, value)
            else:
                edge.child = self._expand(state, self._allowed(state, path))
                player, value = edge.child.player, edge.child.value
        for at, taken in path:
            taken.visits += 1
            taken.total += value if at.player == player else -value

    def _allowed(self, state: Any, path: list[tuple[Node, Edge]]) -> list[int]:
        """What may be played at the end of a path: nothing that brings back a position, of the game or of the path."""
        repetition = self.game.repetition
        if not self.options.superko or repetition is None or repetition.effect != "forbidden":
            return self.game.actions(state)
        return allowed(
            self.game, state, set(self.past) | {int(self.game.repetition_key(node.state)) for node, _ in path}
        )

    def _comes_again(self, state: Any, path: list[tuple[Node, Edge]]) -> bool:
        """Tell whether the end of a path is drawn by repetition; where it no longer is, forget that it was."""
        repetition = self.game.repetition
        if not self.options.repetitions or repetition is None or repetition.effect != "draw":
            return False
        key, root, *line = (int(self.game.repetition_key(one)) for one in (state, *(node.state for node, _ in path)))
        game = self.past if self.past[-1:] == [root] else [*self.past, root]
        edge = path[-1][1]
        drawn = key in line or game.count(key) + 1 >= repetition.times
        if edge.drawn and not drawn:
            visits = edge.visits
            path[0][1].before -= visits
            for _, taken in path:
                taken.visits -= visits
        edge.drawn = drawn
        return drawn

    def _wins_at_once(self, state: Any, path: list[tuple[Node, Edge]]) -> bool:
        """Tell whether a move wins as much as can be won."""
        player = int(self.game.player(state))
        for action in self._allowed(state, path):
            child = state.copy()
            self.game.play(child, action)
            if self.game.is_terminal(child) and self.game.utility(child, player) == self.game.max_utility:
                return True
        return False

    def _prove(self, path: list[tuple[Node, Edge]], value: float) -> None:
        """The MCTS-Solver: a node is proved by an edge that wins, or when all edges are."""
        below: Node | None = None
        for node, edge in reversed(path):
            if below is not None:
                assert below.exact is not None
                value = below.exact if below.player == node.player else -below.exact
            edge.exact = value
            known = [other.exact for other in node.edges if other.exact is not None]
            if max(known) < 1 and len(known) < len(node.edges):
                return
            node.exact = max(known)
            below = node

    def _below(self, node: Node) -> Edge:
        return self._gumbel(node) if self.options.root == "gumbel" else self._puct(node)

    # Gumbel

    def _sigma(self, node: Node, value: float) -> float:
        """Equation 8, for values of 0 to 1."""
        most = max(edge.visits for edge in node.edges)
        return (self.options.c_visit + most) * self.options.c_scale * (value + 1) / 2

    def _v_mix(self, node: Node) -> float:
        """Appendix D, equation 33."""
        visited = [edge for edge in node.edges if edge.visits > 0]
        if not visited:
            return node.value
        mean = sum(edge.prior * edge.value for edge in visited) / sum(edge.prior for edge in visited)
        return (node.value + node.visits * mean) / (1 + node.visits)

    def _improved(self, node: Node, over: list[Edge]) -> dict[int, float]:
        """Equation 11: softmax(logits + σ(completed Q)), of these edges."""
        mixed = self._v_mix(node)
        scores = {
            edge.action: math.log(edge.prior) + self._sigma(node, edge.value if edge.visits > 0 else mixed)
            for edge in over
        }
        top = max(scores.values())
        weights = {action: math.exp(score - top) for action, score in scores.items()}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}

    def _gumbel(self, node: Node) -> Edge:
        """Equation 14."""
        over = node.playable()
        improved = self._improved(node, over)
        return max(over, key=lambda edge: improved[edge.action] - edge.visits / (1 + node.visits))

    def _score(self, node: Node, edge: Edge) -> float:
        """Equation 5: g(a) + logit(a) + σ(Q(a)); without Q before the first visit."""
        score = self.noise[edge.action] + math.log(edge.prior)
        return score + self._sigma(node, edge.value) if edge.visits > 0 else score

    def _halve(self, root: Node, simulations: int) -> None:
        count = min(self.options.considered, len(root.edges), simulations)
        ranked = sorted(root.edges, key=lambda edge: -(self.noise[edge.action] + math.log(edge.prior)))[:count]
        left = {edge.action: considered_visits(count, simulations) for edge in ranked}
        done, phase = 0, count
        while done < simulations and count:
            rounds = max(1, simulations // (max(1, math.ceil(math.log2(len(left)))) * phase))
            for _ in range(rounds):
                for edge in ranked[:phase]:
                    if done < simulations and root.exact is None:
                        self._simulate(edge)
                    done += 1
            ranked = sorted(ranked[:phase], key=lambda edge: -(self._score(root, edge) if edge.visits else 0.0))
            phase = max(min(2, phase), phase // 2)

    def _gumbel_answer(self, root: Node) -> dict[str, Any]:
        over = root.answers()
        improved = self._improved(root, over)
        mixed = self._v_mix(root)
        value = sum(improved[edge.action] * (edge.value if edge.visits > 0 else mixed) for edge in over)

        def rank(edge: Edge) -> tuple[float, ...]:
            visits = 0 if root.exact is not None else edge.visits - edge.before
            return visits, edge.visits > 0, self._score(root, edge)

        return self._answer(root, max(over, key=rank).action, improved, value)

    # PUCT

    def _c(self, visits: int) -> float:
        return self.options.c + math.log((1 + visits + self.options.c_base) / self.options.c_base)

    def _puct_score(self, edge: Edge, visits: int, own: int) -> float:
        q = edge.value if edge.visits > 0 else self.options.fpu
        return q + self._c(visits) * edge.prior * math.sqrt(visits) / (1 + own)

    def _puct(self, node: Node) -> Edge:
        return max(node.playable(), key=lambda edge: self._puct_score(edge, node.visits, edge.visits))

    def _owed(self, edge: Edge, visits: int) -> float:
        return math.sqrt(self.options.forced * edge.prior * visits)

    def _forced(self, root: Node) -> Edge | None:
        owed = (e for e in root.edges if 0 < e.visits < self._owed(e, root.visits) and not e.lost)
        return next(owed, None)

    def _puct_answer(self, root: Node, clean: list[float]) -> dict[str, Any]:
        visits, over = root.visits, root.answers()
        kept = {edge.action: edge.visits for edge in over}
        if self.options.forced > 0 and visits:
            first = max((edge for edge in root.edges if not edge.lost), key=lambda e: e.visits, default=root.edges[0])
            limit = self._puct_score(first, visits, first.visits)
            for edge in over:
                if edge is first or not edge.visits:
                    continue
                for _ in range(int(self._owed(edge, visits))):
                    own = kept[edge.action] - 1
                    if own >= 0 and self._puct_score(edge, visits, own) < limit:
                        kept[edge.action] = own
                if kept[edge.action] == 1:
                    kept[edge.action] = 0
        for edge, prior in zip(root.edges, clean, strict=True):
            edge.prior = prior
        if root.exact is not None:
            kept = {edge.action: 1 for edge in over}
        if not sum(kept.values()):
            weights = {edge.action: edge.prior for edge in over}
        else:
            weights = {action: float(count) for action, count in kept.items()}
        value = (sum(edge.total for edge in root.edges) + root.value) / (visits + 1)
        best = max(over, key=lambda edge: (kept[edge.action], edge.prior))
        policy = {action: weight / sum(weights.values()) for action, weight in weights.items()}
        return self._answer(root, best.action, policy, value)

    def _answer(self, root: Node, action: int, policy: dict[int, float], value: float) -> dict[str, Any]:
        shares, visits = np.zeros(self.game.num_actions), np.zeros(self.game.num_actions, int)
        for edge in root.edges:
            visits[edge.action] = edge.visits
            shares[edge.action] = policy.get(edge.action, 0.0)
        return {
            "action": action,
            "policy": shares,
            "value": value if root.exact is None else root.exact,
            "proved": root.exact is not None,
            "visits": visits,
            "surprise": sum(
                policy[edge.action] * math.log(policy[edge.action] / edge.prior)
                for edge in root.edges
                if policy.get(edge.action, 0) > 0
            ),
        }
