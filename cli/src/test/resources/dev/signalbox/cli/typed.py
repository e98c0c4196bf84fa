"""Runs a command on a pseudo-terminal and types what a person would.

Reads one line of JSON: {"command": [...], "folder": "...", "typed": [["prompt", "answer"], ...],
"patience": seconds}. Each answer is typed once its prompt is seen. Prints one line of JSON:
{"code": N, "out": "everything that the terminal showed"}.
"""
import json
import os
import pty
import select
import signal
import sys
import time

order = json.loads(sys.stdin.readline())
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(order["folder"])
    os.execvp(order["command"][0], order["command"])
shown = b""
seen = 0
typed = list(order["typed"])
end = time.monotonic() + order["patience"]
while time.monotonic() < end:
    ready, _, _ = select.select([terminal], [], [], 1)
    if ready:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        if not part:
            break
        shown += part
    if typed:
        at = shown.find(typed[0][0].encode(), seen)
        if at >= 0:
            seen = at + len(typed[0][0].encode())
            os.write(terminal, (typed.pop(0)[1] + "\n").encode())
else:
    os.kill(pid, signal.SIGKILL)
_, status = os.waitpid(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "out": shown.decode("utf-8", "replace")}))
