"""Launches of many known devices, as a large app has them all day: reports that change nothing."""

import json
import multiprocessing
import uuid

from client import Connection, head
from load import profile

PROCESSES, CONNECTIONS = 2, 8
# Devices of one import: it has to end before a client gives up.
PORTION = 4096
LINES = "application/x-ndjson"


def known(number):
    """Name and report of a device."""
    name = str(uuid.UUID(int=(1 << 96) + number))
    return name, profile(name.replace("-", "") * 2)


def lines(numbers):
    """The body of an import of some devices."""
    return "\n".join(json.dumps({"installation_id": name, **report})
                     for name, report in map(known, numbers)).encode()


def bring(stage, count):
    """Imports so many devices."""
    for first in range(0, count, PORTION):
        stage.service.call("POST", f"{stage.app.path}/installations/import",
                           lines(range(first, min(first + PORTION, count))),
                           key=stage.app.keys["admin"], kind=LINES)


def report_all(port, app_path, key, numbers):
    """Lets devices report, one after the other on each of some connections."""
    clients = [Connection(port) for _ in range(CONNECTIONS)]
    for first in range(0, len(numbers), CONNECTIONS):
        part = list(zip(clients, numbers[first:first + CONNECTIONS]))
        for client, number in part:
            name, report = known(number)
            body = json.dumps(report).encode()
            client.open().socket.sendall(
                head("PUT", f"{app_path}/installations/{name}", key=key, headers={
                    "Content-Type": "application/json", "Content-Length": len(body)}) + body)
        for client, _ in part:
            answer = client.read_answer()
            if answer.status != 200:
                raise RuntimeError(f"A launch was answered {answer.status} {answer.body[:200]}")


def launch(stage, count):
    """Lets half as many devices launch twice."""
    devices = count // 2
    bring(stage, devices)
    context = multiprocessing.get_context("fork")
    for _ in range(2):
        processes = [context.Process(target=report_all, daemon=True, args=(
            stage.service.port, stage.app.path, stage.app.keys["sender"],
            range(number, devices, PROCESSES))) for number in range(PROCESSES)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            if process.exitcode:
                raise RuntimeError("Launches broke off")
