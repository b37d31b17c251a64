"""Players in processes of their own: what hangs or crashes there is an error here, and is started anew.

Start with `agent`: the player. `process` is the process that holds another player: how it is asked, and what is said if
it fails; `child` is what runs in it.

May import `plyground.envs`, its room `vector`, the files of `plyground.agents` and its room `engines`.
"""

from .agent import Isolated

__all__ = ["Isolated"]
