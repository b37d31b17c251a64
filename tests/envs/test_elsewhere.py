"""Games and players of one's own, by where they are: files, modules, and entry points of installed packages."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plyground.agents import agent_names, agent_usage, as_agent, make
from plyground.agents.identity import player_identity
from plyground.agents.registry import agent_arguments
from plyground.arena import TrainingConfig, match, read_records, write_records
from plyground.envs import BoardGameEnv, Game, SoloEnv, game_names, make_game, tictactoe
from plyground.envs.outside import elsewhere
from plyground.envs.outside.elsewhere import absolute, place_of

GAME = """
from besides import title
from plyground.envs import game_factory, make_game, tictactoe

@game_factory
def mine(size: int = 3, name: str = title):
    return tictactoe().replace(name=name)

def plain(size=3):
    return tictactoe().replace(name="plain")

@game_factory
def sized(screen_sizes: int = 3):
    return tictactoe().replace(name="sized")

made = tictactoe()
number = 3

def nothing():
    return 3
"""
AGENTS = """
import numpy as np
from plyground.agents import as_agent

def first(observation, info, last=False):
    return int(np.flatnonzero(observation["action_mask"])[-1 if last else 0])

class WithGame:
    def __init__(self, game, depth=1):
        self.game, self.depth = game, depth
    def act(self, observation, info):
        return first(observation, info)

class Without:
    def act(self, observation, info):
        return None

class Vote:
    '''The players vote.'''
    def __init__(self, game, *agents, last=False):
        self.agents, self.last = [as_agent(agent, game) for agent in agents], last
    def act(self, observation, info):
        votes = [agent.act(observation, info) for agent in self.agents]
        return max(votes) if self.last else min(votes)

class Late:
    def __init__(self, depth=1, game=None):
        self.depth, self.game = depth, game
    def act(self, observation, info):
        return self.depth if self.game.name == "tictactoe" else None

def factory(game, last=False):
    return lambda observation, info: first(observation, info, last)

here = Without()
number = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "besides.py").write_text('title = "mine"\n')
    (tmp_path / "games_here.py").write_text(GAME)
    (tmp_path / "agents_here.py").write_text(AGENTS)
    (tmp_path / "broken.py").write_text("\nimport no_such_module\n")
    (tmp_path / "wrong.py").write_text("def f(:\n")
    (tmp_path / "script.py").write_text("import sys\n\nsys.exit(3)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [one for one in sys.path if one])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.usefixtures("folder")
def test_ctrl_c_leaves_no_half_of_a_file() -> None:
    Path("slow.py").write_text("first = 1\nraise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        elsewhere.load("./slow.py:last")
    Path("slow.py").write_text("last = 1\n")
    assert elsewhere.load("./slow.py:last") == 1


class TestGames:
    def test_by_file_and_by_module(self, folder: Path) -> None:
        game = make_game("./games_here.py:mine(size=5)")
        assert (game.name, game.parameters["size"], game.spec) == ("mine", 5, "mine(size=5)")
        assert game.source == "./games_here.py:mine(size=5)"
        assert make_game("./games_here.py:mine", size=5) is game
        assert make_game("games_here:mine(size=5)") == game
        assert make_game("./games_here.py:plain(size=4)").parameters == {"size": 4}
        assert make_game("./games_here.py:made").source == "./games_here.py:made"
        assert tictactoe().source == "tictactoe"

    def test_an_edited_file_is_read_again(self, folder: Path) -> None:
        """It was read once in a process, and an edit in a notebook was not seen."""

        def written(least: int, last: str = "") -> Game:
            rules = f"def legal(state, actions):\n    actions[0] = {least}\n    return 1\n"
            rules += "def edited():\n    return tictactoe().replace(name='edited', legal_actions=legal)\n"
            Path("edited.py").write_text(f"from plyground.envs import tictactoe\n{rules}{last}")
            return make_game("./edited.py:edited")

        old = written(3)
        sent = pickle.dumps(old)
        assert written(3, "# a comment\n") is old
        new = written(4)  # as long as the old one, in the same second
        assert (old.actions(old.new_state()), new.actions(new.new_state())) == ([3], [4])
        assert old != new
        assert old.digest != new.digest
        assert make_game("./edited.py:edited") is new
        assert pickle.loads(pickle.dumps(new)) is new
        assert pickle.loads(sent) is old
        code = "import pickle, sys; game = pickle.load(sys.stdin.buffer); print(game.actions(game.new_state()))"
        other = [sys.executable, "-c", code]
        assert subprocess.run(other, input=pickle.dumps(new), capture_output=True).stdout.split() == [b"[4]"]
        failed = subprocess.run(other, input=sent, capture_output=True)
        assert b"edited.py:edited has changed since the game './edited.py:edited' was made of it" in failed.stderr
        with pytest.raises(ValueError, match=r"cannot load \./edited\.py: SyntaxError"):
            written(3, "def (")
        Path("edited.py").unlink()
        assert pickle.loads(pickle.dumps(new)) is new

    def test_a_file_that_python_has_imported_is_python_s(self, folder: Path) -> None:
        assert elsewhere.load("games_here:number") == 3
        Path("games_here.py").write_text(GAME + "number = 4\n")
        assert elsewhere.load("./games_here.py:number", again=True) == 3

    def test_other_processes_find_it(self, folder: Path) -> None:
        game = make_game("./games_here.py:mine(size=5)")
        again: Any = match(game, ["random", "./agents_here.py:first"], games=2, jobs=2)
        assert [record.moves for record in again] == [
            record.moves for record in match(game, ["random", "./agents_here.py:first"], games=2)
        ]
        assert {record.game for record in again} == {"./games_here.py:mine(size=5)"}
        write_records("games.jsonl", again)
        assert make_game(next(read_records("games.jsonl")).game) == game
        assert pickle.loads(pickle.dumps(make_game("./games_here.py:made"))).name == "tictactoe"

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("./game_here.py:mine", r"there is no file ./game_here.py: did you mean 'games_here.py'\?"),
            ("./pyramid.py:mine", r"there is no file ./pyramid.py$"),  # the ends of their names are alike
            ("./games_here.py:mines", r"there is no 'mines' in ./games_here.py: did you mean 'mine'\?"),
            ("./games_here.py:number", "is 3, expected a Game or a function that makes one"),
            ("./games_here.py:nothing", "nothing must return a Game, got 3"),
            ("./games_here.py:mine(sise=5)", r"unknown parameter 'sise' .*did you mean 'size'\?"),
            ("./games_here.py:made(size=5)", "takes no parameters"),
            ("./games_here.py", r"as in './games_here.py:games_here'"),
            ("./broken.py:x", r"ModuleNotFoundError: No module named 'no_such_module' \(.*broken.py, line 2\)"),
            ("./wrong.py:x", r"SyntaxError: invalid syntax \(.*wrong.py, line 1\)"),
            ("./script.py:x", r"cannot load ./script.py: SystemExit: 3 \(.*script.py, line 3\)"),
            ("script:x", r"cannot load script: SystemExit: 3 \(.*script.py, line 3\)"),
            ("nowhere.games:x", "there is no module 'nowhere'"),
            ("games_here:", "cannot read 'games_here:'"),
            ("games_here:nim(heaps=3", r"cannot read 'games_here:nim\(heaps=3'"),
        ],
    )
    def test_mistakes_are_one_line(self, folder: Path, spec: str, message: str) -> None:
        with pytest.raises((ValueError, FileNotFoundError), match=message) as error:
            make_game(spec)
        assert "\n" not in str(error.value)


class TestAgents:
    @pytest.mark.parametrize(
        ("spec", "action"),
        [
            ("./agents_here.py:first", 0),
            ("./agents_here.py:first(last=True)", 8),
            ("./agents_here.py:WithGame(depth=3)", 0),
            ("./agents_here.py:WithGame", 0),
            ("./agents_here.py:factory(last=True)", 8),
            ("./agents_here.py:here", None),
            ("./agents_here.py:Without", None),
            ("./agents_here.py:Vote(./agents_here.py:first, ./agents_here.py:factory(last=true), last=true)", 8),
            ("./agents_here.py:Vote(./agents_here.py:factory(last=true))", 8),
            ("./agents_here.py:Late(3)", 3),
            ("./agents_here.py:Late(depth=4)", 4),
            ("./agents_here.py:Late", 1),
        ],
    )
    def test_kinds(self, folder: Path, spec: str, action: int | None) -> None:
        agent = make(spec, "tictactoe")
        agent.reset(seed=0)
        assert agent.act({"action_mask": np.ones(9)}, {}) == action
        assert as_agent(spec, "tictactoe") is not None

    def test_a_file_never_takes_the_place_of_another_module(self, folder: Path) -> None:
        (folder / "random.py").write_text(AGENTS)
        assert callable(make("./random.py:first", "tictactoe").act)
        assert hasattr(sys.modules["random"], "randrange")
        (folder / "random.py").unlink()

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("./agents_here.py:WithGam", r"did you mean 'WithGame'\?"),
            ("./agents_here.py:WithGame(dept=3)", r"unknown argument 'dept' .*did you mean 'depth'\?"),
            ("./agents_here.py:WithGame(1, 2)", r"too many positional arguments; expected .*:WithGame\(depth\)"),
            ("./agents_here.py:WithGame(1, depth=2)", r"multiple values .*'depth'; expected .*:WithGame\(depth\)"),
            ("./agents_here.py:Late(game=2)", "unknown argument 'game'"),
            ("./agents_here.py:Vote(agents=2)", "unexpected keyword argument 'agents'"),
            ("./agents_here.py:first(lst=3)", r"did you mean 'last'\?"),
            ("./agents_here.py:here(3)", "takes no arguments"),
            ("./agents_here.py:first(3)", "first' takes arguments by name only: last"),
            ("./agents_here.py:number", r"is 3, expected an agent with act\(observation, info\)"),
        ],
    )
    def test_mistakes(self, folder: Path, spec: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            make(spec, "tictactoe")


def test_entry_points_of_installed_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "plyground.games": {"ours": EntryPoint("ours", "games_here:mine", "plyground.games")},
        "plyground.agents": {
            name: EntryPoint(name, f"agents_here:{attribute}", "plyground.agents")
            for name, attribute in (("eager", "first"), ("ready", "here"), ("votes", "Vote"), ("late", "Late"))
        },
    }
    for module in ("plyground.envs.registry", "plyground.agents.registry"):
        monkeypatch.setattr(f"{module}.installed", lambda group: points[group])
    assert elsewhere.installed("plyground.games") == {}  # nobody has installed one
    game = make_game("ours(size=4)")
    assert isinstance(game, Game)
    assert game.source == "ours(size=4)"
    assert "ours" in game_names()
    assert "eager" in agent_names()
    assert make("eager(last=True)", game).act({"action_mask": np.ones(9)}) == 8
    assert agent_arguments("eager", [], {"last": True}) == {"last": True}
    assert agent_arguments("votes", ["random"]) == {"agents": ("random",), "last": False}
    assert agent_arguments("ready") == {}
    usages = ["eager(last=False)", "ready", "votes(*agents, last=False)", "late(depth=1)"]
    assert [agent_usage(usage.partition("(")[0])[0] for usage in usages] == usages
    assert agent_usage("votes")[1] == "The players vote."
    assert player_identity("eager(last=True)", game)["arguments"] == {"last": True}
    with pytest.raises(ValueError, match=r"late takes other arguments: .*; expected late\(depth=1\)"):
        agent_arguments("late", [1, 2])
    with pytest.raises(ValueError, match="did you mean 'ours'"):
        make_game("our")


def test_places() -> None:
    assert place_of("go(board_size=9)") is None
    assert place_of("policy(C:\\models\\a.zip)") is None
    assert place_of("./a.py:b(c='d:e')") == "./a.py:b"
    assert absolute("./a.py:b(c=1)") == f"{Path('a.py').resolve()}:b(c=1)"
    assert absolute("a.b:c(1)") == "a.b:c(1)"
    assert absolute("mixture(random, d/a.py:b)") == f"mixture(random, {Path('d/a.py').resolve()}:b)"
    assert absolute("mcts(simulations=5)") == "mcts(simulations=5)"


@pytest.mark.parametrize(
    "spec",  # each path in it after a bar
    [
        "|./my games/a.py:b(c=1)",
        "|./my games (1)/a.py:b",
        "|./my games (1)/a.py:b(c=1)",
        "|lr=3, it's/a.py:b",
        "mixture(random, |my games/a.py:b(c=|d e/f.py:g))",
        "mixture(first = |lr=3/a.py:b, '|x, y/a.py:b(1)')",
        "policy(net=my models/a.zip, name='a b')",
    ],
)
def test_blanks_and_signs_in_paths_are_their_own(spec: str) -> None:
    found = absolute(spec.replace("|", ""))
    assert found == spec.replace("./", "").replace("|", f"{Path.cwd()}/")
    assert absolute(found) == found


@pytest.mark.parametrize("name", ["my games", "lr=0.1", "my games (1)"])
def test_other_processes_find_what_is_in_a_folder_with_blanks_or_signs(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = folder / name
    inside.mkdir()
    for file in ("games_here.py", "agents_here.py", "besides.py"):
        (folder / file).rename(inside / file)
    for game in (make_game(f"./{name}/games_here.py:mine(size=5)"), make_game(f"{inside}/games_here.py:made")):
        sent = pickle.dumps(game)
        with monkeypatch.context() as elsewhere_:
            elsewhere_.chdir("/")
            assert pickle.loads(sent) == game
    again = match(game, [f"./{name}/agents_here.py:first", "random"], games=2, jobs=2)
    assert len(again) == 2
    found = TrainingConfig(f"./{name}/games_here.py:mine", opponents={f"mixture(./{name}/agents_here.py:first)": 1.0})
    found.anywhere().check_names()


def test_training_remembers_where_things_came_from(folder: Path) -> None:
    config = TrainingConfig(
        "./games_here.py:mine(size=5)", opponents={"./agents_here.py:first": 1.0}, ladder=("random",)
    )
    found = config.anywhere()
    assert found.game == f"{folder.resolve()}/games_here.py:mine(size=5)"
    assert dict(found.opponents) == {f"{folder.resolve()}/agents_here.py:first": 1.0}
    found.check_names()


def test_environments_take_the_parameters_of_a_game_at_a_place(folder: Path) -> None:
    assert BoardGameEnv("./games_here.py:mine", size=4).game.parameters["size"] == 4
    assert SoloEnv("games_here:mine", size=4).game.parameters["size"] == 4
    # A parameter that resembles an argument of the environment is one all the same.
    assert BoardGameEnv("./games_here.py:sized", screen_sizes=4).game.parameters["screen_sizes"] == 4
    with pytest.raises(ValueError, match="unknown argument 'screen_sise' of BoardGameEnv: did you mean 'screen_size'"):
        BoardGameEnv("./games_here.py:mine", screen_sise=100)
    with pytest.raises(ValueError, match="already made"):
        BoardGameEnv("./games_here.py:made", size=4)


def test_environments_take_the_parameters_of_an_installed_game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"theirs": EntryPoint("theirs", "games_here:sized", "plyground.games")}
    monkeypatch.setattr("plyground.envs.registry.installed", lambda group: found)
    assert BoardGameEnv("theirs", screen_sizes=4).game.parameters["screen_sizes"] == 4
