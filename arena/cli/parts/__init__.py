"""What the longer commands do and print: a command imports these when it runs, so they import at once what they need.

May import everything; only the commands import this.
"""
