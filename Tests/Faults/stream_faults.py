"""Faults of clients that read or send streams slowly: exports and imports have few places."""

import contextlib
import select
import time

from client import Broken, head
from client_faults import (
    HELD_BOUND, OTHERS_BOUND, close_all, closings, open_sockets, promise_others, read_status)
from launches import LINES, bring, lines
from load import App

COUNT = 20
# How long readers below the least rate keep their places at most, in seconds: 10, and some for a
# busy machine.
READER_BOUND = 15


def statuses(stage, call):
    """The statuses of ten calls, each on a connection of its own, and the longest time of one."""
    found, longest = [], 0.0
    for _ in range(10):
        began, status = time.monotonic(), None
        with contextlib.closing(stage.service.connect()) as connection, \
                contextlib.suppress(Broken):
            status = call(connection).status
        found.append(status)
        longest = max(longest, time.monotonic() - began)
    return found, longest


def promise_places(stage, call):
    """Notes that another app has no places: its calls have to be answered 200."""
    found, longest = statuses(stage, call)
    stage.result.figures["others_answered_s"] = longest
    stage.promise(set(found) == {200} and longest <= OTHERS_BOUND,
                  f"calls of another app were answered {found}, after {longest:.1f} s at most")


# MARK: Readers


def slow_reader(stage):
    """Clients with two keys of an app read an export of all devices a few bytes at a time."""
    other = App(stage.service, "other")
    for device in stage.load.devices:
        device.pause = 0.05
    bring(stage, 30_000)
    for device in stage.load.devices:
        device.pause = 0
    began = time.monotonic()
    path = f"{stage.app.path}/installations"
    readers = open_sockets(stage, COUNT, receive_bytes=4096)
    for number, one in enumerate(readers):
        key = stage.app.keys[("admin", "sender")[number % 2]]
        one.sendall(head("GET", path, key=key, headers={"Accept": LINES}))
    answers = [read_status(one) for one in readers]

    def export(app):
        return lambda connection: connection.request(
            "GET", f"{app.path}/installations?tag=none", key=app.keys["admin"],
            headers={"Accept": LINES})
    promise_places(stage, export(other))
    held = time_of_places(stage, readers, export(stage.app))
    stage.result.figures |= {
        "readers": COUNT, "streams": answers.count(b"200"), "refused": answers.count(b"503"),
        "held_s": held}
    stage.promise(b"200" in answers and set(answers) <= {b"200", b"503"},
                  f"readers were answered {sorted(set(answers))}")
    stage.promise(held <= READER_BOUND, f"slow readers kept their places for {held:.0f} s,"
                                        f" promised are {READER_BOUND} s")
    close_all(readers)
    promise_others(stage, began)


def time_of_places(stage, readers, call):
    """Reads some bytes of each connection every second until the same app has places again.

    What the kernel has of an answer that was broken off is still sent, so reading does not tell.
    """
    began = time.monotonic()
    for one in readers:
        one.setblocking(False)
    while (seconds := time.monotonic() - began) < HELD_BOUND:
        if set(statuses(stage, call)[0]) == {200}:
            break
        for one in readers:
            with contextlib.suppress(OSError):
                one.recv(100)
        time.sleep(1)
    return seconds


# MARK: Writers


def slow_import(stage):
    """Clients of one app send imports byte by byte."""
    other = App(stage.service, "other")
    began = time.monotonic()
    path = f"{stage.app.path}/installations/import"
    writers = open_sockets(stage, COUNT)
    for one in writers:
        one.sendall(head("POST", path, key=stage.app.keys["admin"], headers={
            "Content-Type": LINES, "Transfer-Encoding": "chunked"}) + b"2\r\n{}\r\n")
    # Once some are refused, all places for this app are taken.
    select.select(writers, [], [], OTHERS_BOUND)
    promise_places(stage, lambda connection: connection.request(
        "POST", f"{other.path}/installations/import", lines([0]), key=other.keys["admin"],
        kind=LINES))
    watched = time.monotonic()
    held = closings(writers, HELD_BOUND, lambda one: one.send(b"1\r\n \r\n"))
    answers = [content[9:12] for _, content in held.values()]
    longest = watched - began + max(
        HELD_BOUND if seconds is None else seconds for seconds, _ in held.values())
    stage.result.figures |= {
        "imports": COUNT, "answered_408": answers.count(b"408"),
        "answered_503": answers.count(b"503"), "held_s": longest}
    stage.promise(b"408" in answers and set(answers) <= {b"408", b"503"},
                  f"imports were answered {sorted(set(answers))}")
    stage.promise(longest < HELD_BOUND, f"slow imports were held for {longest:.0f} s")
    close_all(writers)
    promise_others(stage, began)
