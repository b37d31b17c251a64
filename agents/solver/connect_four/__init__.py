"""The exact score of any Connect Four position: a search of its own, and a book of the opening.

Start with `scores`; the search is `kernel`. May import `plyground.envs` and the files of `plyground.agents`.
"""
