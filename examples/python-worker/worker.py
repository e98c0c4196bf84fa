#!/usr/bin/env python3
"""A worker for the task queue of a Signalbox server, with Python's standard library alone.

It registers, takes one task at a time, gives signs of life and reports what came of each task. On
SIGTERM it takes nothing more, finishes what it has in hand and says that it has stopped.
"""

import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

API = os.environ.get("SIGNALBOX_ADDRESS", "http://127.0.0.1:7420") + "/api/v1"
TOKEN = os.environ["SIGNALBOX_TOKEN"]
HEARTBEAT_SECONDS = float(os.environ.get("HEARTBEAT_SECONDS", "30"))
TRIES = 8


class Failure(Exception):
    """A task that failed for a cause that the queue knows; only some are tried again."""

    def __init__(self, cause, error):
        super().__init__(error)
        self.cause = cause


def count_words(given):
    if not isinstance(given, dict) or not isinstance(given.get("file"), str):
        raise Failure("invalid_input", 'Expected {"file": PATH}.')
    with open(given["file"], encoding="utf-8") as file:
        return {"words": len(file.read().split())}


HANDLERS = {"count-words": count_words}


def call(path, body=None, key=None):
    """The status and the JSON of an answer. Every call here may be repeated, so one that did not
    get through is, with longer and longer pauses."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    data = json.dumps(body or {}).encode()
    for attempt in range(TRIES):
        if attempt:
            time.sleep(min(2**attempt, 30))
        try:
            request = urllib.request.Request(API + path, data, headers, method="POST")
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code not in (429, 503):
                return refusal.code, json.load(refusal)
        except OSError as error:
            print(f"{path}: {error}", file=sys.stderr, flush=True)
    sys.exit(f"Expected an answer from {API}, but there was none. Is the server up?")


def must(answer):
    status, body = answer
    if status >= 300:
        sys.exit(f"Expected to be let in, but: {body.get('detail')}")
    return body


class Worker:
    def __init__(self):
        self.stopping = threading.Event()
        self.drained = False
        self.fences = {}  # of the tasks in hand
        registration = {"kinds": sorted(HANDLERS)}
        self.id = must(call("/workers", registration, key=str(uuid.uuid4())))["instance"]
        must(self.call("ready"))

    def call(self, what, body=None, key=None):
        return call(f"/workers/{self.id}/{what}", body, key)

    def work(self):
        life = threading.Thread(target=self.live, daemon=True)
        life.start()
        while not self.stopping.is_set():
            status, answer = self.call("poll", {"most": 1, "wait_ms": 20000})
            if status != 200:  # an operator drains it, or it was taken for lost
                self.drained = True
                break
            for lease in answer["leases"]:
                self.perform(lease)
        self.stopping.set()
        life.join()
        return self.call("stopped")[0] == 200

    def perform(self, lease):
        task, fence = lease["task"], lease["fence"]
        self.fences[task] = fence
        try:
            report, said = "succeeded", {"result": HANDLERS[lease["kind"]](lease["input"])}
        except Failure as failure:
            report, said = "failed", {"cause": failure.cause, "error": str(failure)}
        except Exception as error:  # whatever it was, it may be gone the next time
            report, said = "failed", {"cause": "temporary_error", "error": type(error).__name__}
        said |= {"task": task, "fence": fence}
        status, answer = self.call(report, said, key=f"{report}-{fence}")
        self.fences.pop(task, None)
        # A report is refused when the lease is over: somebody else does the task by now.
        print(report if status == 200 else f"refused {answer.get('code')}", task, flush=True)

    def live(self):
        """Gives signs of life until it is told to stop, and then lets itself be drained, which also
        ends a poll that waits."""
        while not self.stopping.wait(HEARTBEAT_SECONDS):
            held = [{"task": task, "fence": fence} for task, fence in list(self.fences.items())]
            _, answer = self.call("heartbeat", {"tasks": held})
            for task in answer.get("gone", []):
                self.fences.pop(task, None)
                print("gone", task, flush=True)
        for _ in range(TRIES):  # it is refused where a task comes at the same moment
            self.drained = self.drained or self.call("drain")[0] == 200


def main():
    worker = Worker()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: worker.stopping.set())
    print("ready", worker.id, flush=True)
    sys.exit(0 if worker.work() else 1)


if __name__ == "__main__":
    main()
