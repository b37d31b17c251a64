"""The report: what the page says against counting by hand, and its games against the rules."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from plyground.arena import elo_difference, pair_scores, rating_list
from plyground.arena.ratings.paired import paired_games
from plyground.arena.report import report_page, write_report
from plyground.arena.report.games import games_data, order_of
from plyground.arena.report.markup import elo, listed, share_text
from plyground.arena.report.pairs import first_share, in_pairs, player_share
from plyground.arena.report.plots import Scale
from plyground.arena.report.sides import sides_section
from plyground.envs import make_game
from plyground.envs.render.template import board_template
from tests.conftest import random_game
from tests.helpers.report_games import MATCH, Reader, a_game, record_of


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


class TestTables:
    def test_cross_table(self) -> None:
        tables = Reader(report_page(MATCH, blunder_seconds=0)).tables
        cross = tables["Points of each player, in the rows, against each other one, by number"]
        # a: two wins, one draw and one loss against b, two draws against c
        assert cross[0] == ["Player", "1", "2", "3", "Points", "Share, 95 %", "Won–drawn–lost", "Per move"]
        assert [row[:5] for row in cross[1:]] == [
            ["1 a", "·", "1", "2.5", "3.5"],
            ["2 c", "1", "·", "·", "1"],
            ["3 b", "1.5", "·", "·", "1.5"],
        ]
        assert [row[6:] for row in cross[1:]] == [["2–3–1", "1 ms"], ["0–2–0", "1 ms"], ["1–1–2", "1 ms"]]
        payoff = tables["Per cent of the points that the player in the row got from the one in the column"]
        assert [cell.split("–")[0][:4] for cell in payoff[3]] == ["3 b", "37.5", "·", "·"]

    def test_circles_are_told(self) -> None:
        games = [
            a_game(f"{pair[0]} {pair[1]}", 1.0, (one,)) for pair in ("rs", "sp", "pr") for one in range(9) if one != 4
        ]
        games += [
            a_game(f"{pair[1]} {pair[0]}", -1.0, (one,)) for pair in ("rs", "sp", "pr") for one in range(9) if one != 4
        ]
        page = report_page(games, blunder_seconds=0)
        assert "There is a rock-paper-scissors cycle, beyond chance: r beats s, s beats p, p beats r." in page
        assert "Nobody got more than half" in report_page(MATCH, blunder_seconds=0)

    def test_who_plays_itself_is_not_rated(self) -> None:
        page = report_page([a_game("a a", 1.0)], blunder_seconds=0)
        assert page.count("plays against itself, which tells nothing of its strength") == 2
        assert len(data_of(page)["games"]) == 1

    def test_one_is_no_plural(self) -> None:
        """The report of one game said "1 games"."""
        short = replace(a_game("a b", 0.0), moves=[0], opening=0, ending="truncated", seconds=[1.0], movers=[0])
        for game in (a_game("a b", 1.0, (0, 4, 1, 3)), short):
            page = report_page([game], blunder_seconds=20)
            text = re.sub(r"<[^>]*>", "", page.partition("<body")[2].partition("<script")[0])
            assert re.findall(r"(?<![\d.,–])1 (?:games|plies|moves|pairs|players|openings|have)\b", text) == []

    def test_who_plays_itself_gets_half_of_the_points(self) -> None:
        tables = Reader(report_page([a_game("a a", 1.0)] * 3 + [a_game("a a", -1.0)], blunder_seconds=0)).tables
        cross = tables["Points of each player, in the rows, against each other one, by number"]
        assert (cross[1][0], cross[1][2], cross[1][3].split(" (")[0]) == ("1 a", "4", "50 %")
        row = tables["Results by side"][2]
        assert [cell.split(" (")[0] for cell in row] == ["a", "3–0–1", "75 %", "1–0–3", "25 %"]

    def test_results_by_side_and_opening(self) -> None:
        tables = Reader(report_page(MATCH, blunder_seconds=0)).tables
        sides = tables["Results by side"]
        assert [(row[0], row[1], row[3]) for row in sides[1:]] == [
            ("All", "2–3–1", "1–3–2"),
            ("a", "1–2–0", "1–1–1"),
            ("c", "0–1–0", "0–1–0"),
            ("b", "1–0–1", "0–1–1"),
        ]
        openings = tables["Results of the first player by opening"]
        assert [row[:3] for row in openings[1:]] == [["0", "4", "1–2–1"], ["8", "2", "1–1–0"]]

    def test_lengths_and_times(self) -> None:
        page = report_page([*MATCH, a_game("a b", -1.0, ending="illegal")], blunder_seconds=0)
        tables = Reader(page).tables
        rows = {row[0]: row[1:] for row in tables["Plies of the games"][1:]}
        assert rows["All"][0] == "7"
        assert rows["Decided by the rules, or adjudicated"][:2] == ["3", "5.3"]  # 5, 6 and 5 plies
        assert rows["Drawn, or broken off"][0] == "3"
        assert rows["Lost by an illegal move or an error"] == ["1", "6.0", "6", "6–6", "6–6"]
        assert "1 ms a move on average." in page
        times = tables["Time of moves, openings left out"]
        assert {row[2] for row in times[1:]} == {"1 ms"}

    def test_games_that_neither_the_rules_nor_faults_ended(self) -> None:
        games = [
            a_game("a b", -1.0, ending="time"),
            a_game("a b", 1.0, ending="adjudicated"),
            a_game("a b", 0.0, ending="adjudicated"),
        ]
        page = report_page(games, blunder_seconds=0)
        rows = Reader(page).tables["Plies of the games"][1:]
        assert [row[:3] for row in rows] == [
            ["All", "3", "6.7"],
            ["Decided by the rules, or adjudicated", "1", "5.0"],
            ["Drawn, or broken off", "1", "9.0"],
            ["Lost on time", "1", "6.0"],
        ]
        assert "<li><b>2</b> adjudicated</li><li><b>1</b> lost on time</li></ul>" in page
        assert "Lost on time: a 1." in page

    @pytest.mark.parametrize("seconds", [5e-324, 1e10])
    def test_every_time_that_records_hold_is_shown(self, seconds: float) -> None:
        page = report_page([replace(MATCH[0], seconds=[seconds] * len(MATCH[0].moves))], blunder_seconds=0)
        assert "took longest" in page

    def test_nobody_leads_who_has_equals(self) -> None:
        page = report_page([a_game(players, 0.0, (0,)) for players in ("a b", "b a")], blunder_seconds=0)
        assert "a and b have the largest share of their points, each 50 %." in page
        assert "a and b are rated highest, each at 0 Elo." in page
        assert "a and b took longest, each 1 ms a move on average." in page
        assert "a has the largest share of its points: " in report_page(MATCH, blunder_seconds=0)
        assert listed("abcd") == "a, b, c and d"
        assert listed("abcdef") == "a, b, c, d and 2 others"

    def test_what_few_games_do_not_bound_has_no_end(self) -> None:
        """The ends of intervals, and of the scale, were thousands of Elo away."""
        records = [a_game("a b", 1.0), a_game("b a", -1.0)]
        best, first_move = rating_list(records).ratings[0], rating_list(records).first_move
        assert best.high - best.elo > 1000
        assert first_move.high - first_move.elo > 1000
        page = report_page(records, blunder_seconds=0)
        assert f'<span class="numbers">{elo(best.elo)} ({elo(best.low)} or more)</span>' in page
        assert f'<span class="numbers">{elo(-best.elo)} ({elo(-best.low)} or less)</span>' in page
        assert "What the first move is worth beside the players&#x27; strength is not known yet." in page
        assert "Ends farther than 1000 Elo from a rating are left out" in page
        assert "Ends farther" not in report_page(MATCH, blunder_seconds=0)

    def test_a_file_without_times_says_so(self) -> None:
        page = report_page([replace(one, seconds=[0.0] * len(one.moves)) for one in MATCH], blunder_seconds=0)
        assert "These games have no times" in page
        assert all("s" not in game for game in data_of(page)["games"])

    def test_headings_of_tables_have_scopes(self) -> None:
        page = report_page(MATCH, blunder_seconds=0)
        headings = re.findall(r"<th\b[^>]*>", page)
        assert len(headings) > 20
        assert all(re.search(' scope="(col|row)"', heading) for heading in headings)


class TestPairs:
    def test_intervals_are_those_of_pairs_of_games(self) -> None:
        games = MATCH[:4]
        share, whole = player_share(in_pairs(games), "a"), elo_difference(pair_scores(games))
        assert share.share == whole.score == 2.5 / 4
        assert share.low == pytest.approx(1 / (1 + 10 ** (-whole.low / 400)))
        assert share.high == pytest.approx(1 / (1 + 10 ** (-whole.high / 400)))

    def test_games_against_oneself_count_for_both_sides(self) -> None:
        share = player_share(in_pairs([a_game("a a", 1.0), a_game("a a", -1.0, (8,)), *MATCH[:2]]), "a")
        assert (share.gained, share.games) == (4, 6)  # one of two in each of the first, two of two of b

    def test_games_find_their_counterparts_in_any_order(self) -> None:
        order = np.random.default_rng(5).permutation(len(MATCH))
        pairs = in_pairs([MATCH[i] for i in order])
        assert len(pairs) == 3
        assert all(pair[0].players == pair[1].players[::-1] for pair in pairs)
        assert all(pair[0].moves[:1] == pair[1].moves[:1] for pair in pairs)
        assert [len(pair) for pair in in_pairs(MATCH[:5])] == [2, 2, 1]
        assert len(in_pairs([MATCH[0], MATCH[0]])) == 2  # the same side twice

    def test_games_of_one_opening_are_paired_as_for_ratings(self) -> None:
        """The first with the first of the other side."""
        games = [a_game(players, won) for players in ("a b", "b a") for won in (1.0, -1.0)]
        assert [[game.outcome[0] for game in pair] for pair in in_pairs(games)] == [[1.0, 1.0], [-1.0, -1.0]]
        assert paired_games(games).pairs.tolist() == [[[1, 0, 0], [0, 0, 0], [0, 0, 1]]]

    def test_who_begins(self) -> None:
        # Each opening gave the first player 1 + 0, 1/2 + 1, and 1/2 + 1/2.
        share = first_share(in_pairs(MATCH))
        assert (share.gained, share.games) == (3.5, 6)
        assert share.low < 3.5 / 6 < share.high


class TestGames:
    @pytest.mark.parametrize(
        "spec",
        [
            "tictactoe",
            "connect_four(rows=4, columns=5)",
            *(
                pytest.param(spec, marks=pytest.mark.slow)
                for spec in ("othello", "checkers", "chess", "go(board_size=5)")
            ),
        ],
    )
    def test_the_page_can_build_each_position(self, spec: str, rng: np.random.Generator) -> None:
        game = make_game(spec)
        states = [random_game(game, rng) for _ in range(3)]
        records = [record_of(game, some) for some in states]
        data = games_data(game, records, ["a", "b"], range(3))
        assert game.board is not None
        base = data["codes"]
        for record, some, one in zip(records, states, data["games"], strict=True):
            cells = np.zeros((game.board.rows, game.board.columns), int)
            for value in data["start"]:
                cells.flat[value // base] = value % base
            for i, changes in enumerate([[], *one["d"]]):
                for value in changes:
                    cells.flat[value // base] = value % base
                assert np.array_equal(cells, game.board.pieces(some[i]))
                if i:
                    count = one["t"][i - 1] if "t" in one else 1
                    touched = game.board.cells(some[i - 1], one["m"][i - 1])
                    assert tuple(value // base for value in changes[:count]) == touched
            assert one["q"] == "".join("?01"[mover + 1] for mover in record.movers)

    def test_a_move_beyond_the_numbers_of_a_page_keeps_its_name(self) -> None:
        """The page rounded it, and called it undefined."""
        far = 2**62 + 1
        moves = {"moves": [0, far], "seconds": [0.0, 0.1], "movers": [-1, 1]}
        page = report_page([a_game("a b", 1.0, ending="illegal", **moves)], blunder_seconds=0)
        data = json.loads(json.dumps(data_of(page)), parse_int=float)  # as JavaScript has it
        (one,) = data["games"]
        assert data["actions"][one["m"][1]] == str(far)
        assert one["m"][0] == 0

    def test_what_has_no_room_is_left_out_and_counted(self) -> None:
        games = [a_game("a b", 1.0), *[a_game("b a", 1.0)] * 40, a_game("a b", -1.0, ending="illegal")]
        page = report_page(games, blunder_seconds=0, games_bytes=1000)
        kept = [game["n"] for game in data_of(page)["games"]]
        assert 3 <= len(kept) < 20
        assert 42 in kept  # the one that ended by an illegal move
        assert f"{len(kept)} of 42 games can be stepped through" in page
        assert "<b>42</b> games" in page

    def test_those_that_are_kept_are_spread_over_the_file(self) -> None:
        games = [a_game("a b", 1.0)] * 100
        order = order_of(games, [17])
        assert order[0] == 17
        assert sorted(order) == list(range(100))
        assert np.diff(sorted(order[:17])).max() <= 13

    def test_a_thousand_games_take_less_than_a_megabyte(self, rng: np.random.Generator) -> None:
        game = make_game("connect_four(rows=4, columns=5)")
        one = record_of(game, random_game(game, rng))
        one = replace(one, game="connect_four(rows=4, columns=5)", seconds=[0.0123456] * len(one.moves))
        assert len(report_page([one] * 1000, blunder_seconds=0)) < 1_000_000


class TestStrangers:
    def test_names_and_reasons_are_text_whatever_they_are(self) -> None:
        evil = "<script>hacked=1</script>"
        reason = "</script><img src=x onerror=hacked=1> & \u2028"
        games = [replace(one, players=[evil if name == "a" else name for name in one.players]) for one in MATCH]
        games[0] = replace(games[0], ending="failed", reason=reason)
        page = report_page(games, title="<b>May & June</b>", blunder_seconds=0)
        read = Reader(page)
        assert read.count["script"] == 2
        assert "img" not in read.count
        assert page.count("&lt;b&gt;May &amp; June&lt;/b&gt;") == 2
        data = data_of(page)
        assert evil in data["players"]
        assert data["games"][0]["w"] == reason

    def test_a_name_does_not_turn_the_sentence_that_it_stands_in(self) -> None:
        name = "a\u202eb\u2067c"  # what follows would be read from right to left
        games = [replace(one, players=[name if player == "a" else player for player in one.players]) for one in MATCH]
        games[0] = replace(games[0], ending="failed", reason=f"{name} is late")
        page = report_page(games, title=name, blunder_seconds=0)
        assert not {"\u202e", "\u2067"} & {*page, *json.dumps(data_of(page), ensure_ascii=False)}
        assert data_of(page)["games"][0]["w"] == "abc is late"

    @pytest.mark.parametrize(
        ("pairs", "words"),
        [
            # By opening: how many pairs, and whether whoever began won all their games, or each side one of a pair.
            ([(3, True)], "1 opening; none has games enough to tell whether it favours a side."),
            ([(9, True)], "1 opening; the interval of its share is to one side of 50 %."),
            ([(9, False)], "1 opening; the interval of its share is not to one side of 50 %."),
            (
                [(9, False)] * 2 + [(3, True)],
                "3 openings; in none of them the interval of the share is to one side of 50 %. 2 have games enough for "
                "that.",
            ),
            (
                [(9, True)] + [(9, False)] * 7,
                "8 openings; in 1 of them the interval of the share is to one side of 50 %. If none favoured a side, "
                "chance alone would put fewer than one there.",
            ),
            (
                [(9, True)] * 40,
                "40 openings; in 40 of them the interval of the share is to one side of 50 %. If none favoured a side, "
                "chance alone would put about 2 at most there. Shown are",
            ),
        ],
    )
    def test_what_is_said_of_openings_is_right(self, pairs: list[tuple[int, bool]], words: str) -> None:
        """Of eight, "about 1 would be by chance": 5 % of all, also of those that no result would have put there."""
        records = []
        for opening, (count, is_sided) in enumerate(pairs):
            moves = (opening % 9, *((opening // 9 + opening % 9 + 1) % 9 for _ in range(opening >= 9)))
            one, other = a_game("a b", 1.0, moves), a_game("b a", 1.0 if is_sided else -1.0, moves)
            records += [one, other] * count
        page = sides_section(in_pairs(records), ["a", "b"], None, lambda moves, _: list(map(str, moves)))
        text = " ".join(page.split())
        assert f"<p>{words}" in text

    def test_openings_that_are_no_moves_of_the_game(self) -> None:
        games = [replace(one, game="othello", moves=[99], movers=[-1], seconds=[0.0], opening=1) for one in MATCH]
        assert ">99<" in report_page(games, blunder_seconds=0)

    def test_the_page_asks_nobody(self) -> None:
        page = report_page(MATCH, blunder_seconds=0)
        assert set(re.findall(r"\w+://[^\"' )]+", page)) == {"http://www.w3.org/2000/svg"}  # a name, and no address
        assert "default-src 'none'" in page
        assert not re.search(r"<(link|img|iframe)\b|@import|url\(", page)

    def test_games_of_an_environment_of_somebody_else(self) -> None:
        games = [replace(one, game="chess_v6") for one in MATCH]
        page = report_page(games)
        assert "The boards cannot be drawn: " in page
        assert "There are no rules of this game here" in page
        assert data_of(page)["games"][0]["q"] == "?1010"

    def test_a_move_that_the_rules_do_not_know_ends_the_boards(self) -> None:
        broken = a_game("a b", -1.0, moves=[0, 4, 4], seconds=[0.0, 0.1, 0.1], movers=[-1, 1, 0], ending="illegal")
        page = report_page([broken, a_game("b a", 1.0)], blunder_seconds=0)
        assert len(data_of(page)["games"][0]["d"]) == 2
        assert "Lost by illegal moves or errors: a 1." in page

    def test_a_game_without_a_board_is_shown_as_text(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = make_game("tictactoe")
        text = game.text
        monkeypatch.setattr(game, "board", None)
        page_data = games_data(game, MATCH[:1], ["a", "b"], [0])
        texts = page_data["games"][0]["x"]
        assert texts == [text(game.play_moves(MATCH[0].moves[:count])) for count in range(6)]
        assert "d" not in page_data["games"][0]

    def test_games_that_no_page_can_hold(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="there are no games to report on"):
            report_page([])
        with pytest.raises(ValueError, match=r"one game, got games of tictactoe \(6\), othello \(1\): choose"):
            report_page([*MATCH, replace(MATCH[0], game="othello")])
        with pytest.raises(FileNotFoundError, match="there is no folder"):
            write_report(tmp_path / "nowhere" / "report.html", MATCH)


class TestPlots:
    def test_a_scale_has_room_for_all_and_round_ticks(self) -> None:
        scale = Scale([-130.0, 260.0, float("inf")])
        assert 0 < scale(-130) < scale(0) < scale(260) < 100
        assert (scale(float("inf")), scale(float("-inf"))) == (100, 0)
        assert scale.ticks() == [-100, 0, 100, 200]
        assert Scale([7.0]).ticks() == pytest.approx([6.6, 6.8, 7.0, 7.2, 7.4])

    def test_a_logarithmic_scale(self) -> None:
        scale = Scale([1e-5, 1e-1], is_logarithmic=True)
        assert scale.ticks() == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1])
        assert scale(1e-3) == pytest.approx(50)

    def test_numbers_as_text(self) -> None:
        assert [elo(value) for value in (12.4, -12.4, 0.2)] == ["+12", "−12", "0"]
        assert share_text(0.625, 0.5, 0.75) == "62 % (50–75)"
        assert share_text(float("nan"), float("nan"), float("nan")) == "–"

    @pytest.mark.parametrize("spec", ["tictactoe", "connect_four", "othello", "checkers", "chess", "go_9x9"])
    def test_a_template_has_layers_and_what_goes_into_them(self, spec: str) -> None:
        root = ElementTree.fromstring(board_template(make_game(spec), 'a "board" & <more>'))
        assert root.get("aria-label") == 'a "board" & <more>'
        ids = [one.get("id") for one in root.iter() if one.get("id")]
        codes = 13 if spec == "chess" else 5
        assert ids == [*(f"piece-{code}" for code in range(1, codes)), *(f"mark-{code}" for code in range(codes))]
        layers = [one.get("data-layer") for one in root.iter() if one.get("data-layer")]
        assert layers == ["borders", "pieces", "rings"]
        assert root.get("data-mark") in layers
