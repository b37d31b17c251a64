"""Linear softmax policies over a game's local features: as objects, as files, and their probabilities.

AlphaGo's fast rollout policy was one (D. Silver et al., Nature 529, 2016, methods, "Rollout policy"). `fitting` learns
the weights from records.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs import Game, State, as_game
from ...envs.jit import kernel
from ...envs.outside.messages import shown
from ...envs.outside.whole_files import write_whole
from .policies import Linear, Policy, linear_odds, new_linear

__all__ = ["LinearPolicy", "policy_of"]

_FORMAT = 1
_MOST_SUM = 700.0  # of an action's weights, either way: exp of that, and of so much less than 0, is still a number


class LinearPolicy:
    """A policy that plays an action with a probability proportional to exp of the sum of its features' weights.

    ``MCTS(game, rollout=policy)`` plays rollouts with it, and so does ``mcts(rollout='policy.npz')`` from its file.

    Args:
        game: a game that has local features (see `plyground.envs.definition.knowledge`), or its name.
        weights: [game.knowledge.num_weights]; None for zeros, by which all candidates are alike.

    Raises:
        ValueError: the game has no local features, or the weights are not so many numbers, or so large that the odds of
            an action might be infinite, or 0.
    """

    def __init__(self, game: Game | str, weights: ArrayLike | None = None) -> None:
        self.game = as_game(game)
        number = self.game.knowledge.num_weights
        if not number:
            raise ValueError(f"{self.game.spec} has no local features: see plyground.envs.definition.knowledge")
        self.weights: NDArray[np.float32] = np.zeros(number, np.float32)
        if weights is not None:
            given, most = np.asarray(weights, np.float64), _MOST_SUM / self.game.knowledge.slots
            if given.shape != (number,) or not (np.abs(given) <= most).all():
                raise ValueError(
                    f"the weights of {self.game.spec} must be {number} finite numbers from {-most:g} to {most:g}, "
                    f"beyond which exp of an action's sum might be none, got {shown(given)}"
                )
            self.weights[:] = given

    def for_kernel(self) -> Linear:
        """Return the policy as kernels take it, with room of its own: one for each thread."""
        return new_linear(self.game, self.weights)

    def probabilities(self, state: State, last: int = -1, before: int = -1) -> NDArray[np.float64]:
        """Return [num_actions] how probable each action is in an unfinished ``state``.

        Args:
            state: not changed.
            last: the latest action, or -1 where it is not known.
            before: the action before that, or -1.
        """
        linear, actions = self.for_kernel(), np.zeros(self.game.num_actions, np.int32)
        count = _odds(self.game, state, last, before, linear, actions)
        odds = np.diff(linear.sums[:count], prepend=0.0)
        found = np.zeros(self.game.num_actions)
        found[actions[:count]] = odds / odds.sum()
        return found

    def save(self, path: str | Path) -> None:
        """Write the policy into a file, ``.npz``: the weights, and which game they are of."""
        about = {"format": _FORMAT, "game": self.game.name, "parameters": dict(self.game.parameters)}
        content = io.BytesIO()
        np.savez_compressed(content, weights=self.weights, about=np.array(json.dumps(about)))
        write_whole(Path(path), content.getbuffer())

    @classmethod
    def load(cls, path: str | Path, game: Game | str) -> LinearPolicy:
        """Read a policy from its file.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is no such policy, or is one of a game with other features; or it is empty, as a run of
                AlphaGo's pipeline leaves it for a game without local features.
        """
        game = as_game(game)
        if not Path(path).is_file():
            raise FileNotFoundError(
                f"no rollout policy {str(path)!r}: expected a file that `LinearPolicy.save` wrote, such as "
                "rollout/model.npz in the folder of a run of `plyground train alphago GAME --out FOLDER`"
            )
        if not game.knowledge.num_weights and Path(path).stat().st_size == 0:
            raise ValueError(
                f"{path} is empty: {game.spec} has no local features, so its rollouts are random: leave rollout out"
            )
        try:
            with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
                about, weights = json.loads(str(file["about"])), np.array(file["weights"])
            name, version = about["game"], about["format"]
        except Exception as error:  # damage is told by errors of many kinds
            raise ValueError(f"{path} is no file of a linear rollout policy: {error}") from error
        if version != _FORMAT:
            raise ValueError(f"{path} has format {version!r}, expected {_FORMAT}")
        if name != game.name or weights.shape != (game.knowledge.num_weights,):
            raise ValueError(
                f"{path} is a rollout policy of {name} with {weights.size} weights, and {game.spec} has "
                f"{game.knowledge.num_weights or 'no'} weights of local features"
            )
        try:
            return cls(game, weights)
        except ValueError as error:
            raise ValueError(f"{path} is no file of a linear rollout policy: {error}") from None


@kernel
def _odds(game, state, last, before, linear, actions):
    return linear_odds(game, state, last, before, linear, actions)


def policy_of(rollout: Any, game: Game, greedy: bool = False) -> Callable[[], Policy] | None:
    """Return what makes the policy that ``rollout`` names, one for each thread; None: random moves.

    Args:
        rollout: a name, a policy, or its file.
        game: the game.
        greedy: whether the search has greedy rollouts. They have no policy: they are random where they are not greedy.

    Raises:
        ValueError: there is no such policy, or it is one of another game.
        FileNotFoundError: there is no such file.
    """
    plain = ("random", "greedy") if greedy else ("random",)
    if isinstance(rollout, str) and rollout in plain:
        return None
    if isinstance(rollout, str) and rollout == "heavy":
        if not game.knowledge.has_action:
            named = " or ".join(map(repr, plain))
            raise ValueError(f"rollout must be {named} in {game.spec}, which has no heavy rollouts")
        return lambda: Policy(heavy=True)
    if isinstance(rollout, (str, Path)) and Path(rollout).suffix == ".npz":
        rollout = LinearPolicy.load(rollout, game)
    if not isinstance(rollout, LinearPolicy):
        raise ValueError(
            f"rollout must be {', '.join(map(repr, (*plain, 'heavy')))}, or a linear policy or its file (.npz), got "
            f"{shown(rollout)}"
        )
    if rollout.game.name != game.name or rollout.weights.size != game.knowledge.num_weights:
        raise ValueError(f"rollout is a policy of {rollout.game.spec}, and the game is {game.spec}")
    linear = rollout
    return lambda: Policy(linear=linear.for_kernel())
