"""The textbook's algorithms to look at: small searches step by step, exercises with solutions, bandits.

Start with `alphabeta_trace`. Plain Python, written to be read. May import `plyground.envs`, and no other room.
"""
