"""What some servers are: a process that starts the server proper and waits for it.

python reloader.py PORT [MANNER]
"""

from __future__ import annotations

import subprocess
import sys

sys.exit(subprocess.call([sys.executable, "server.py", *sys.argv[1:]]))
