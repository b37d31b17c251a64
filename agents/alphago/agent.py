"""AlphaGo as a player: the tree search of the paper, with the models of a run of `plyground train alphago`.

Source: D. Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from ...envs import Game, as_game
from ...envs.outside.arguments import checked_whole, is_between
from ...envs.outside.limits import MOST_THREADS
from ...envs.outside.messages import shown
from ...envs.outside.spec import nearest
from ..mcts import LinearPolicy
from ..networks import Inference, make_inference, read_network
from ..puct import PUCT
from ..settings import check_arguments, check_budget
from .evaluator import PairEvaluator

__all__ = ["AlphaGo", "Priors", "model_files"]

Priors = Literal["policy", "rl", "uniform"]

_ROLLOUTS = ("policy", "random", "heavy")
_SIMULATIONS = 100  # of a move, without a budget


class AlphaGo(PUCT):
    """AlphaGo: a tree whose priors are a policy's, and whose leaves are worth ``(1 - λ) v + λ z``.

    v is what the value network says of a leaf, and z the result of a rollout from there. λ is the paper's: 0 asks the
    value network alone, 1 plays rollouts alone. Leaves are evaluated in batches, with virtual losses on the way to
    them.

    Args:
        game: the game, or its name.
        run: the folder of a run of ``plyground train alphago``.
        simulations: how many there are for each move. Without a budget there are 100.
        seconds: wall-clock time for each move. Of both budgets the first to run out ends the search.
        lambda_: λ, the share of the rollout in the value of a leaf.
        priors: ``"policy"``, the policy from records, as in the paper; ``"rl"``, the policy by play; or ``"uniform"``.
        rollout: ``"policy"``, the run's rollout policy, or random moves if it has none; ``"random"``; or ``"heavy"``,
            by the rules that a game has for rollouts.
        c: how much to explore along the priors (the paper's c_puct).
        temperature: the divisor of the priors' logits: above 1 priors become more alike.
        batch: leaves that are evaluated together, at most.
        virtual_loss: losses that a leaf counts for until it is evaluated.
        reuse_tree: keep what is known of the position that the game has come to.
        superko, repetitions: leave out of the tree what would bring a position back, in games that forbid that, and
            know draws by repetition, in games that have them, as `PUCT` does.
        backend: ``"openvino"``, ``"onnxruntime"``, ``"torch"``, ``"numpy"``, or ``"auto"``, the first that is here.
        threads: threads that compute the networks.
        device: where they are computed, as in ``"cuda"``.
        seed: the seed of the rollouts; None takes one from the system's entropy.

    Raises:
        ValueError: an argument is out of its range, or a network is for another game, or damaged.
        FileNotFoundError: the folder has no such network.
        ImportError: the library that ``backend`` names is not installed.
    """

    kind = "alphago"

    def __init__(
        self,
        game: Game | str,
        run: str | Path,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        lambda_: float = 0.5,
        priors: Priors = "policy",
        rollout: str = "policy",
        c: float = 2.5,
        temperature: float = 1.0,
        batch: int = 8,
        virtual_loss: int = 1,
        reuse_tree: bool = False,
        superko: bool = True,
        repetitions: bool = True,
        backend: str = "auto",
        threads: int = 1,
        device: str = "cpu",
        seed: int | None = None,
    ) -> None:
        game = as_game(game)
        check_budget(simulations=simulations, seconds=seconds)
        batch = checked_whole("batch", batch, 1)
        self._threads = threads = checked_whole("threads", threads, 1, MOST_THREADS)
        check_arguments(("lambda_", lambda_, is_between(lambda_, 0, 1), "between 0 and 1"))
        if priors not in get_args(Priors):
            raise ValueError(f"unknown priors {shown(priors)}: {nearest(str(priors), get_args(Priors))}")
        if rollout not in _ROLLOUTS:
            raise ValueError(f"unknown rollout {shown(rollout)}: {nearest(str(rollout), _ROLLOUTS)}")
        if simulations is None and seconds is None:
            simulations = _SIMULATIONS
        files = model_files(run, priors=priors, lambda_=lambda_, rollout=rollout)

        def computed(name: str) -> Inference | None:
            if name not in files:
                return None
            net = read_network(files[name])
            if net.notes.get("learned") == 0:
                raise ValueError(
                    f"the value network of {str(run)!r} has learned nothing yet: go on with `plyground train --resume "
                    f"{run} --step value`, or play with lambda_=1, which does not ask it"
                )
            return make_inference(net, backend, batch=batch, threads=threads, device=device, game=game)

        evaluator = PairEvaluator(computed("priors"), computed("value"), temperature)
        played: str | LinearPolicy = "random" if rollout == "policy" else rollout
        if "rollout" in files:
            played = LinearPolicy.load(files["rollout"], game)
        elif rollout == "policy" and lambda_ > 0 and game.knowledge.num_weights and _rollout_file(run).is_file():
            raise ValueError(
                f"{str(_rollout_file(run))!r} is damaged: it is empty, and {game.spec} has local features; play with "
                "rollout=random, or train another run"
            )
        super().__init__(
            game,
            simulations,
            seconds=seconds,
            evaluator=evaluator,
            c=c,
            c_base=None,
            lambda_=lambda_,
            rollout=played,
            batch=batch,
            virtual_loss=virtual_loss,
            reuse_tree=reuse_tree,
            superko=superko,
            repetitions=repetitions,
            seed=seed,
        )

    @property
    def threads(self) -> int:
        """Threads that compute the networks; fixed when the player is made."""
        return self._threads


def model_files(
    run: str | Path, *, priors: str = "policy", lambda_: float = 0.5, rollout: str = "policy"
) -> dict[str, Path]:
    """Return the files of a run that a player is made of, by what they are for: priors, value, rollout.

    Args:
        run: the folder of the run.
        priors: as of `AlphaGo`, like the other two.
        lambda_: what it makes needless is left out.
        rollout: a rollout policy that the run does not have is left out, too.

    Raises:
        FileNotFoundError: there is no such folder, a network is missing, or the folder is that of another run, or of
            a part.
    """
    path = Path(run)
    if not path.is_dir():
        raise FileNotFoundError(
            f"no run {str(run)!r}: expected the folder of a run of `plyground train alphago GAME --out FOLDER`"
        )
    alone = {
        "model.safetensors": f"network({run})",
        "model.npz": f"mcts(rollout='{path / 'model.npz'}')",
        "model.zip": f"policy({run})",
    }
    for file, player in alone.items():
        if (path / file).is_file():  # one network or policy, and no run of several
            of_run = any((path.parent / part / name).is_file() for part in ("policy", "rollout") for name in alone)
            instead = f"name the run, {str(path.parent)!r}" if of_run else f"it plays as {player!r}"
            raise FileNotFoundError(f"{str(run)!r} holds {file}, and is no run of `plyground train alphago`: {instead}")
    found = {}
    wanted = {} if priors == "uniform" else {"priors": priors}
    wanted |= {"value": "value"} if lambda_ < 1 else {}
    for use, part in wanted.items():
        found[use] = path / part / "model.safetensors"
        if not found[use].is_file():
            raise FileNotFoundError(
                f"{str(run)!r} has no {part}/model.safetensors: train it by `plyground train --resume {run} --step "
                f"{part}`, or name the folder of a run of `plyground train alphago`"
            )
    of_rollouts = _rollout_file(run)
    if lambda_ > 0 and rollout == "policy" and of_rollouts.is_file() and of_rollouts.stat().st_size:
        found["rollout"] = of_rollouts
    return found


def _rollout_file(run: str | Path) -> Path:
    """Return the file of a run's rollout policy, which is empty where the game has no local features."""
    return Path(run) / "rollout" / "model.npz"
