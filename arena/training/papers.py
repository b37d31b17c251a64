"""Where the settings of training come from: papers and programs, by the short names that the settings cite them by."""

from __future__ import annotations

__all__ = ["OURS", "PAPERS", "cited"]

OURS = "ours"  # with which a source begins that is no paper: a number or an idea of our own

PAPERS = {
    "Danihelka et al. 2022": 'I. Danihelka et al., "Policy improvement by planning with Gumbel", ICLR 2022',
    "Izmailov et al. 2018": 'P. Izmailov et al., "Averaging weights leads to wider optima and better generalization", '
    "UAI 2018",
    "KataGo's methods": "a page of KataGo's documentation, "
    "<https://github.com/lightvector/KataGo/blob/master/docs/KataGoMethods.md>",
    "Leela Chess Zero": "an engine by many authors, <https://lczero.org>",
    "Loshchilov and Hutter 2019": 'I. Loshchilov, F. Hutter, "Decoupled weight decay regularization", ICLR 2019',
    "Pascanu et al. 2013": 'R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training recurrent neural '
    'networks", ICML 2013',
    "Silver et al. 2016": 'D. Silver et al., "Mastering the game of Go with deep neural networks and tree search", '
    "Nature 529 (2016): AlphaGo",
    "Silver et al. 2017": 'D. Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017): '
    "AlphaGo Zero",
    "Silver et al. 2018": 'D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, '
    'and Go through self-play", Science 362 (2018): AlphaZero',
    "Teytaud and Teytaud 2010": 'F. Teytaud, O. Teytaud, "On the huge impact of decisive moves in Monte-Carlo tree '
    'search algorithms", CIG 2010',
    "Tian et al. 2019": 'Y. Tian et al., "ELF OpenGo: an analysis and open reimplementation of AlphaZero", ICML 2019',
    "Vaswani et al. 2017": 'A. Vaswani et al., "Attention is all you need", NIPS 2017',
    "Vinyals et al. 2019": 'O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement '
    'learning", Nature 575 (2019)',
    "Willemsen et al. 2021": 'D. Willemsen, H. Baier, M. Kaisers, "Value targets in off-policy AlphaZero: a new greedy '
    'backup", Neural Computing and Applications 34 (2021)',
    "Williams 1992": 'R. J. Williams, "Simple statistical gradient-following algorithms for connectionist '
    'reinforcement learning", Machine Learning 8 (1992)',
    "Winands et al. 2008": 'M. H. M. Winands, Y. Björnsson, J.-T. Saito, "Monte-Carlo tree search solver", CG 2008',
    "Wu 2019": 'D. J. Wu, "Accelerating self-play learning in Go", arXiv 1902.10565 (2019): KataGo',
}


def cited(source: str) -> list[str]:
    """Return the names in a source, as in ``"Wu 2019, section 3.1; ours: fewer of them"``, of `PAPERS` or `OURS`."""
    return [part.partition(",")[0].partition(":")[0].strip() for part in source.split(";")]
