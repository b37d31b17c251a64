"""What the longer commands do and print: a command imports these when it runs, so they import at once what they need.

Start with `competition`, which `match` and `tournament` share; the others are each of one command, or of what several
print. May import everything; only the commands import this.
"""
