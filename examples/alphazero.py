"""AlphaZero in one file: a network learns Connect Four from games against itself, each move of them found by a search.

Each round, 512 games go on by a few moves. A tree for each of them (`plyground.agents.puct.forest`) improves what the
network would play: Gumbel's rule tries the candidates at the root, and proved wins go up the tree. The network then
learns from the games that have ended: the improved policy, and a value that is half the game's result, half the value
of the search. What plays is the mean of the weights over the last steps. Now and then the network alone, without
search, is asked for its moves in solved positions, and the share that keeps the value is printed. With ``--out``
the network is kept in a file, which plays as ``network(FILE)``, or with a search as ``alphazero(FILE)``.

`plyground train alphazero connect_four` does all this and more, for any game; here it is for reading and for changing.

Sources: D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go through
self-play", Science 362, 2018; I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022; the mix of
values: D. Willemsen, H. Baier and M. Kaisers, "Value targets in off-policy AlphaZero", 2021.
"""

import time
from copy import deepcopy
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import typer
from torch.nn import functional

from plyground.agents.compiling import compiling
from plyground.agents.networks import Inference, make_inference, new_network, save_network
from plyground.agents.puct.forest import Forest
from plyground.arena import SolvedPositions, committed_positions, grade
from plyground.envs import Game, GameBatch, make_game
from plyground.envs.outside.files import check_writable

GAME = "connect_four"
OPENING_PLIES = 24  # random plies that open a game, at most: the network meets positions of all kinds
C_SCALE = 1.0  # how much Gumbel's rule trusts values against logits
ROUND_PLIES = 8  # moves of each game between two turns of learning
SAMPLES_LEARNED = 4  # for each that was played
LEARN_AFTER = 8_192  # samples
WINDOW = 400_000  # newest samples that are learned from
BATCH, LEARNING_RATE, WARM_UP, AVERAGING = 512, 5e-3, 100, 0.999


class Samples(NamedTuple):
    """Positions, and what the network is to say of them."""

    planes: Any  # uint8 [samples, rows, columns, channels] what the player to move sees
    masks: Any  # bool [samples, actions]
    policies: Any  # float32 [samples, actions]
    values: Any  # float32 [samples]


def new_samples(game: Game, *shape: int) -> Samples:
    """Return room for samples."""
    return Samples(
        np.zeros((*shape, *game.observation_shape), np.uint8),
        np.zeros((*shape, game.num_actions), np.bool_),
        np.zeros((*shape, game.num_actions), np.float32),
        np.zeros(shape, np.float32),
    )


class SelfPlay:
    """Games side by side, and the samples of those that go on."""

    def __init__(self, game: Game, num_envs: int, simulations: int, seed: int) -> None:
        of_games, of_trees = np.random.SeedSequence(seed).generate_state(2).tolist()  # else noise would follow openings
        self.batch = GameBatch(game, num_envs, opening_plies=OPENING_PLIES, seed=of_games)
        self.forest = Forest(game, num_envs, simulations=simulations, c_scale=C_SCALE, seed=of_trees)
        self.samples = new_samples(game, num_envs, game.max_plies)
        self.proved = np.zeros((num_envs, game.max_plies), np.bool_)
        self.players = np.zeros((num_envs, game.max_plies), np.int64)
        self.counts = np.zeros(num_envs, np.int64)

    def move(self, net: Inference) -> list[Samples]:
        """Play a move in each game, and return the samples of each game that it ended."""
        batch, rows, counts = self.batch, np.arange(self.batch.num_envs), self.counts
        self.forest.forget()
        found = self.forest.search(batch.states, lambda planes, masks: net(planes), masks=batch.masks)
        for array, new in zip(
            self.samples, (batch.observations, batch.masks, found.policies, found.values), strict=True
        ):
            array[rows, counts] = new
        self.proved[rows, counts], self.players[rows, counts] = found.proved, batch.players
        counts += 1
        batch.step(found.actions)
        ended = np.flatnonzero(batch.terminations)
        games = [self.finished(row, float(batch.rewards[row, 0])) for row in ended.tolist()]
        counts[ended] = 0
        return games

    def finished(self, row: int, result: float) -> Samples:
        """Return the samples of a game with this result to the first player.

        From where a search proved the value of a position, the game is known to end so: what was played later does not
        count for earlier positions.
        """
        count = int(self.counts[row])
        game = Samples(*(array[row, :count].copy() for array in self.samples))
        for ply in reversed(range(count)):
            sign = 1.0 if self.players[row, ply] == 0 else -1.0
            if self.proved[row, ply]:
                result = sign * float(game.values[ply])
            else:
                game.values[ply] = (game.values[ply] + sign * result) / 2
        return game


class Memory:
    """The newest samples."""

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        self.samples, self.rng, self.total = new_samples(game, WINDOW), rng, 0

    def add(self, game: Samples) -> None:
        """Put the samples of a game in place of the oldest."""
        places = np.arange(self.total, self.total + len(game.values)) % WINDOW
        for array, new in zip(self.samples, game, strict=True):
            array[places] = new
        self.total += len(game.values)

    def draw(self) -> Samples:
        """Return some samples, half of them as in a mirror."""
        places = self.rng.integers(min(self.total, WINDOW), size=BATCH)
        drawn, half = Samples(*(array[places] for array in self.samples)), BATCH // 2
        drawn.planes[:half] = drawn.planes[:half, :, ::-1].copy()
        drawn.masks[:half], drawn.policies[:half] = drawn.masks[:half, ::-1].copy(), drawn.policies[:half, ::-1].copy()
        return drawn


class Learner:
    """A network that learns, and the mean of its weights over the steps, which plays."""

    def __init__(self, game: Game, network: str, seed: int) -> None:
        self.net: Any = new_network(game, network, seed=seed)
        self.average = deepcopy(self.net).requires_grad_(False).eval()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=LEARNING_RATE, weight_decay=1e-4)
        self.steps = 0

    def learn(self, samples: Samples) -> tuple[float, float]:
        """Take a step, and return the losses of policy and value."""
        self.steps += 1
        self.optimizer.param_groups[0]["lr"] = LEARNING_RATE * min(1, self.steps / WARM_UP)
        planes, masks, policies, values = (torch.from_numpy(array) for array in samples)
        outputs = self.net(planes.float())
        chances = functional.log_softmax(outputs.logits.masked_fill(~masks, -1e9), dim=1)
        policy_loss = -(policies * chances).sum(1).mean()
        value_loss = (outputs.value - values).square().mean()
        self.optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        decay = min(AVERAGING, (1 + self.steps) / (10 + self.steps))  # at first the mean of nearly all steps
        with torch.no_grad():
            for mean, weight in zip(self.average.parameters(), self.net.parameters(), strict=True):
                mean.lerp_(weight, 1 - decay)
        return policy_loss.item(), value_loss.item()


def value_kept(net: Inference, positions: SolvedPositions) -> float:
    """Return the share of solved positions in which the network's likeliest move keeps the value."""
    game, states = positions.game, [positions.state(i) for i in range(len(positions))]
    logits, _ = net(np.stack([game.observation(state, game.player(state)) for state in states]))
    return grade(positions, np.where(positions.legal, logits, -np.inf).argmax(axis=1)).total.preserving.share


def main(
    minutes: Annotated[float, typer.Option(help="Time of the training.")] = 10,
    num_envs: Annotated[int, typer.Option(help="Games side by side.")] = 512,
    simulations: Annotated[int, typer.Option(help="Of the search, for each move.")] = 32,
    network: Annotated[str, typer.Option(help="Size: tiny, small, medium, mlp, or as in 4x48 or mlp3x512.")] = "small",
    threads: Annotated[int, typer.Option(help="Threads of the network.")] = 1,
    seed: int = 0,
    out: Annotated[Path | None, typer.Option(help="A file for the network, as in az.safetensors.")] = None,
) -> float:
    """Train, and return the share of solved positions in which the network keeps the value."""
    torch.set_num_threads(threads)
    game, positions = make_game(GAME), committed_positions(GAME)
    assert positions is not None
    if out is not None:
        check_writable(out)  # so that a wrong place does not cost a training
    learner, memory = Learner(game, network, seed), Memory(game, np.random.default_rng(seed))
    net = make_inference(learner.average, threads=threads)
    with compiling("self-play", game):  # which says so where it takes longer than a second
        SelfPlay(game, 1, simulations, seed).move(net)
    play = SelfPlay(game, num_envs, simulations, seed)
    started, said, moves, losses = time.perf_counter(), 0.0, 0, (np.nan, np.nan)
    while (passed := time.perf_counter() - started) < 60 * minutes:
        for _ in range(ROUND_PLIES):
            for samples in play.move(net):
                memory.add(samples)
        moves += ROUND_PLIES * num_envs
        if memory.total >= LEARN_AFTER:
            while learner.steps < SAMPLES_LEARNED * memory.total // BATCH:
                losses = learner.learn(memory.draw())
            net.update(learner.average)
        if passed - said > 20:
            said, kept = passed, value_kept(net, positions)
            print(
                f"{passed:4.0f} s: {moves:9,} moves, {learner.steps:6,} steps, loss of policy {losses[0]:.3f} and "
                f"value {losses[1]:.3f}; value kept in {kept:.1%}",
                flush=True,
            )
    if out is not None:
        save_network(out, learner.average, {"minutes": minutes, "simulations": simulations, "seed": seed})
        print(f"saved {out}")
    kept = value_kept(net, positions)
    print(f"after {minutes:g} minutes the network alone keeps the value in {kept:.1%} of the positions")
    return kept


if __name__ == "__main__":
    typer.run(main)
