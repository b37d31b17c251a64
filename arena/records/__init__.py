"""Games that were played, kept and exchanged: JSON lines, CSV, Parquet, SGF, PDN, PGN.

Start with `record`, then `json_lines`; the file `formats` beside this room chooses by the name of a file. May import
`plyground.envs` with its room `jit`, and the files of `plyground.agents`.
"""
