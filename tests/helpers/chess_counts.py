"""The features of chess, by slow and obvious counts on squares of what `chess_terms` lists."""

from __future__ import annotations

from plyground.envs.games.features.chess_terms import SIZES
from plyground.envs.games.features.chess_values import VALUES

__all__ = ["expected", "pieces_of", "share_of", "worth_of"]

Square = tuple[int, int]  # file and rank, from 0
Pieces = dict[Square, str]  # capital letters are the own side's, which goes up

STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
LEAPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
KINDS = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
RANGES = {
    "material": 30,
    "pawn_squares": 4,
    "knight_squares": 2,
    "bishop_squares": 2,
    "rook_squares": 2,
    "queen_squares": 2,
    "king_squares": 3,
    "mobility": 5,
    "king_safety": 5,
    "pawn_structure": 3,
    "passed_pawns": 7,
    "minor_pieces": 1.5,
    "bishop_pair": 1,
    "rook_files": 1,
    "threats": 3,
    "tempo": 0.5,
    "bare_king": 4,
}
GROUPS = {  # what each feature is made of
    "material": ["material"],
    **{f"{kind}_squares": [f"{kind}_squares"] for kind in KINDS.values()},
    "mobility": ["knight_mobility", "bishop_mobility", "rook_mobility", "queen_mobility"],
    "king_safety": ["shield", "storm", "bare_file", "king_attack"],
    "pawn_structure": ["doubled_pawn", "isolated_pawn", "backward_pawn", "supported_pawn", "abreast_pawn"],
    "passed_pawns": ["passed_pawn", "blocked_pawn", "free_pawn", "king_from_passed", "foe_from_passed"],
    "minor_pieces": ["outpost"],
    "bishop_pair": ["bishop_pair"],
    "rook_files": ["open_file", "half_open_file"],
    "threats": ["threat", "hanging", "push"],
}


def pieces_of(fen: str, colour: int) -> Pieces:
    """Return the pieces as white (0) or black (1) sees them."""
    found: Pieces = {}
    for row, line in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in line:
            if letter.isdigit():
                file += int(letter)
                continue
            found[file, 7 - row if colour == 0 else row] = letter if colour == 0 else letter.swapcase()
            file += 1
    return found


def attacked(pieces: Pieces, square: Square) -> set[Square]:
    """Return the squares that the piece on a square attacks."""
    kind, (file, rank) = pieces[square].upper(), square
    up = 1 if pieces[square].isupper() else -1
    steps = {"P": [(-1, up), (1, up)], "N": LEAPS, "K": STRAIGHT + DIAGONAL}.get(kind)
    found = set()
    for x, y in steps or (STRAIGHT if kind in "RQ" else []) + (DIAGONAL if kind in "BQ" else []):
        for n in range(1, 2 if steps else 8):
            where = file + n * x, rank + n * y
            if not (0 <= where[0] < 8 and 0 <= where[1] < 8):
                break
            found.add(where)
            if where in pieces:
                break
    return found


def distance(one: Square, other: Square) -> int:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def counts_of(pieces: Pieces, waits: bool) -> dict[tuple[str, int], int]:
    """Return how often each term is there for the own side, which is to move or waits: by group and number."""
    found: dict[tuple[str, int], int] = {}

    def add(group: str, number: int = 0, times: int = 1) -> None:
        found[group, number] = found.get((group, number), 0) + times

    own = {square: letter for square, letter in pieces.items() if letter.isupper()}
    pawns = {square for square, letter in own.items() if letter == "P"}
    foes = {square for square, letter in pieces.items() if letter == "p"}
    king = next(square for square, letter in own.items() if letter == "K")
    foe = next(square for square, letter in pieces.items() if letter == "k")
    guarded = set().union(*(attacked(pieces, square) for square in pawns))
    forbidden = set().union(*(attacked(pieces, square) for square in foes))
    reached = set().union(*(attacked(pieces, square) for square in own))
    protected = set().union(*(attacked(pieces, square) for square in pieces.keys() - own.keys()))
    solid = set().union(*(attacked(pieces, square) for square in pieces.keys() - own.keys() - {foe}))
    zone = {(x, y) for x in range(8) for y in range(8) if abs(x - foe[0]) <= 1 and -2 <= y - foe[1] <= 1}

    attackers = 0
    strength = len((zone & reached) - solid)
    for (file, rank), letter in own.items():
        kind, reach = KINDS[letter], attacked(pieces, (file, rank))
        add(f"{kind}_squares", 4 * rank + min(file, 7 - file))
        if letter != "K":
            add("material", "PNBRQ".index(letter))
        if letter in "NBRQ":
            add(f"{kind}_mobility", len(reach - own.keys() - forbidden))
            near = len(reach & zone)
            attackers += near > 0
            strength += near * (2 if letter == "Q" else 1)
        for square in reach:
            victim = pieces.get(square, "")
            for number, (by, on) in enumerate(
                [
                    *(("P", "bn"), ("P", "r"), ("P", "q"), ("BN", "r"), ("BN", "q"), ("R", "q")),
                    *(("BN", "p"), ("BN", "bn"), ("R", "pbn")),
                ]
            ):
                if letter in by and victim and victim in on and not (number >= 6 and square in forbidden):
                    # Two pieces that attack one count once.
                    add("threat seen", 64 * number + 8 * square[0] + square[1])
        if letter == "R" and not any(x == file for x, _ in pawns):
            add("half_open_file" if any(x == file for x, _ in foes) else "open_file")
    for place in [key for key in found if key[0] == "threat seen"]:
        del found[place]
        add("threat", place[1] // 64 + 9 * waits)
    for letter in "NBRQ":
        reach = set().union(*(attacked(pieces, square) for square in own if own[square] == letter))
        if attacked({**pieces, foe: letter}, foe) & reach - protected - own.keys():
            strength += 2 if letter in "NB" else 3
    if "Q" not in own.values():
        strength //= 2
    add("king_attack", 0 if attackers < 2 else min(strength, SIZES["king_attack"] - 1))
    for square in reached - protected:
        if pieces.get(square, "-") in "pnbrq":
            add("hanging", {"p": 0, "n": 1, "b": 1}.get(pieces[square], 2) + 3 * waits)
    steps = {(file, rank + 1) for file, rank in pawns} - pieces.keys()
    steps |= {(file, rank + 1) for file, rank in steps if rank == 2} - pieces.keys()
    steps = {step for step in steps - forbidden if step in reached or step not in protected}
    targets = {(file + side, rank + 1) for file, rank in steps for side in (-1, 1)} - guarded
    add("push", int(waits), sum(pieces.get(square, "K") in "nbrq" for square in targets))
    for (file, rank), letter in own.items():
        beyond = not any(abs(x - file) == 1 and y > rank for x, y in foes)
        if letter in "NB" and 3 <= rank <= 5 and (file, rank) in guarded and beyond:
            add("outpost", "NB".index(letter))
    if sum(letter == "B" for letter in own.values()) >= 2:
        add("bishop_pair")

    for file, rank in pawns:
        beside = {(x, y) for x, y in pawns if abs(x - file) == 1}
        if any(x == file and y > rank for x, y in pawns):
            add("doubled_pawn")
        elif not any(abs(x - file) <= 1 and y > rank for x, y in foes):
            add("passed_pawn", rank)
            stop = file, rank + 1
            if pieces.get(stop, "A").islower():
                add("blocked_pawn", rank)
            if stop not in pieces and stop not in protected:
                add("free_pawn", rank)
            add("king_from_passed", rank, distance(king, stop))
            add("foe_from_passed", rank, distance(foe, stop))
        if not beside:
            add("isolated_pawn")
        elif all(y > rank for _, y in beside) and (file, rank + 1) in forbidden:
            add("backward_pawn")
        if (file, rank) in guarded:
            add("supported_pawn", rank)
        if any(y == rank for _, y in beside):
            add("abreast_pawn", rank)

    wing = [file for file in range(8) if abs(file - min(max(king[0], 1), 6)) <= 1]
    for n in (1, 2):
        add("shield", n - 1, sum((file, king[1] + n) in pawns for file in wing))
    for n in (1, 2, 3):
        add("storm", n - 1, sum((file, king[1] + n) in foes for file in wing))
    add("bare_file", 0, sum(not any(x == file for x, _ in pawns) for file in wing))
    return found


def worths(phase: int) -> dict[tuple[str, int], int]:
    """Return what each term is worth, read from the texts once more."""
    found = {}
    for group, (middle, end) in VALUES.items():
        for number, (a, b) in enumerate(zip(middle.split(), end.split(), strict=True)):
            place = 4 * (7 - number // 4) + number % 4 if group.endswith("_squares") else number
            found[group, place] = round(phase / 24 * int(a) + (1 - phase / 24) * int(b))
    return found


def bare_king(pieces: Pieces) -> float:
    """Return how far the other side's king is driven, if it is alone."""
    if sum(letter.islower() for letter in pieces.values()) > 1:
        return 0.0
    king, foe = (next(square for square, letter in pieces.items() if letter == k) for k in "Kk")
    near = (7 - distance(king, foe)) / 7
    men = sorted(letter for letter in pieces.values() if letter.isupper() and letter not in "KP")
    if men == ["B", "N"]:
        bishop = next(square for square, letter in pieces.items() if letter == "B")
        corners = [(0, 0), (7, 7)] if sum(bishop) % 2 == 0 else [(0, 7), (7, 0)]
        steps = min(abs(foe[0] - x) + abs(foe[1] - y) for x, y in corners)
        return 0.25 * near + 0.75 * (7 - min(steps, 7)) / 7
    return 0.5 * near + 0.5 * (3 - min(foe[0], 7 - foe[0], foe[1], 7 - foe[1])) / 3


def share_of(leader: Pieces) -> float:
    """Return how much of a lead counts, of the side with capital letters."""
    worth = {"N": 3, "B": 3, "R": 5, "Q": 9}
    ahead = sum(worth.get(x, 0) - worth.get(x.swapcase(), 0) for x in leader.values())
    men = sorted(letter for letter in leader.values() if letter.isupper())
    bishops = [square for square, letter in leader.items() if letter in "Bb"]
    if men.count("P") <= 1:
        is_hard = ahead <= 3 or men == ["K", "N", "N"]
        return 1.0 if not is_hard else 0.75 if "P" in men else 0.0625
    if sorted(x for x in leader.values() if x not in "Pp") == ["B", "K", "b", "k"]:
        return 0.5 if sum(map(sum, bishops)) % 2 else 1.0
    return 1.0


def expected(fen: str) -> dict[str, float]:
    """Return the features as the player to move sees them."""
    mover = int(fen.split()[1] == "b")
    phase = sum({"n": 1, "b": 1, "r": 2, "q": 4}.get(letter.lower(), 0) for letter in fen.split()[0])
    worth = worths(min(phase, 24))
    sides = [pieces_of(fen, mover), pieces_of(fen, 1 - mover)]
    own, other = counts_of(sides[0], waits=False), counts_of(sides[1], waits=True)

    def total(counts: dict[tuple[str, int], int], feature: str) -> int:
        return sum(times * worth[term] for term, times in counts.items() if term[0] in GROUPS[feature])

    sums = {feature: total(own, feature) - total(other, feature) for feature in GROUPS}
    found = {name: max(-1.0, min(1.0, value / 1000 / RANGES[name])) for name, value in sums.items()}
    found["tempo"] = max(-1.0, min(1.0, worth["tempo", 0] / 1000 / RANGES["tempo"]))
    one, two = map(bare_king, sides)
    found["bare_king"] = one or -two
    share = share_of(sides[0] if sum(sums.values()) >= 0 else sides[1])
    return {name: share * value for name, value in found.items()}


def worth_of(group: str, number: int = 0, phase: int = 0) -> float:
    return worths(phase)[group, number] / 1000
