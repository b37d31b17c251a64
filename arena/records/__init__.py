"""Games that were played, kept and exchanged: JSON lines, CSV, Parquet, SGF, PDN, PGN.

Start with `record`; `formats` chooses by the name of a file. May import `plyground.envs`, and the files
of `plyground.agents`.
"""
