"""Launches that change nothing, at three instances, while the database is harmed.

A launch that was acknowledged counts: an answer of APNs from before it takes no token out of use,
whichever instance hears of it.
"""

import random
import threading
import time
import uuid

from client import Broken
from cluster import DEADLINE
from database_faults import fill_disk, kill, lock_table, take_no_changes
from load import PAUSE, SECRET, profile

INSTANCES = 3
LAUNCHERS = 4
# Devices of each launcher, and those that launch no more.
DEVICES, SLEEPERS = 75, 30
# How far the clocks of instances and database may differ, in milliseconds.
MARGIN = 1000


def device(number):
    """Name and report of a device."""
    name = str(uuid.UUID(int=(7 << 96) + number))
    return name, profile(name.replace("-", "") * 2)


class Launcher(threading.Thread):
    """Lets its devices launch one after the other, each time at another instance."""

    def __init__(self, stage, number, stopping):
        super().__init__(daemon=True)
        self.app, self.stopping = stage.app, stopping
        self.connections = [service.connect(timeout=DEADLINE) for service in stage.services]
        self.numbers = range(number * DEVICES, (number + 1) * DEVICES)
        self.random = random.Random(number)
        # When the last launch began that was acknowledged, in milliseconds since 1970.
        self.began = {}
        self.statuses = {}

    def run(self):
        while not self.stopping.is_set():
            for number in self.numbers:
                self.launch(number)
        for connection in self.connections:
            connection.close()

    def launch(self, number):
        """Lets a device launch once."""
        name, report = device(number)
        connection = self.random.choice(self.connections)
        began, status = int(time.time() * 1000), "broken"
        try:
            status = connection.request(
                "PUT", self.app.installation(name), report, key=self.app.keys["client"],
                headers={"Postilion-Installation-Secret": SECRET}).status
        except Broken:
            pass
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if status in (200, 201):
            self.began[number] = began
        else:
            self.stopping.wait(PAUSE)


def tell_deaths(stage, moments):
    """Tells the instances in turn that tokens died at some moments; gives the decisions."""
    decisions = {}
    numbers = sorted(moments)
    for index in range(0, len(numbers), 50):
        part = numbers[index:index + 50]
        service = stage.services[index // 50 % INSTANCES]
        answer = service.call("POST", f"{stage.app.path}/feedback", {"results": [
            {"token": device(number)[1]["credentials"]["apns"]["token"],
             "environment": "production", "status": 410, "reason": "Unregistered",
             "timestamp": moments[number]} for number in part]}, key=stage.app.keys["sender"])
        for number, result in zip(part, answer.json()["results"]):
            decisions[number] = result["decision"]
    return decisions


def harm_launches(stage):
    """A full disk, a lock, a read-only database, kills of the database and of an instance."""
    sleepers = range(LAUNCHERS * DEVICES, LAUNCHERS * DEVICES + SLEEPERS)
    for number in (*range(LAUNCHERS * DEVICES), *sleepers):
        name, report = device(number)
        with_secret = {"Postilion-Installation-Secret": SECRET}
        stage.service.call("PUT", stage.app.installation(name), report,
                           key=stage.app.keys["client"], headers=with_secret)
    stopping = threading.Event()
    launchers = [Launcher(stage, number, stopping) for number in range(LAUNCHERS)]
    for launcher in launchers:
        launcher.start()
    try:
        for harm in (fill_disk, take_no_changes, lambda stage: lock_table(stage, "sighting"), kill):
            harm(stage)
        victim = stage.services[-1]
        victim.kill()
        victim.start()
        stage.load.await_more()
    finally:
        stopping.set()
        for launcher in launchers:
            launcher.join(2 * DEADLINE)
    began = {number: moment for launcher in launchers for number, moment in launcher.began.items()}
    decisions = tell_deaths(stage, {number: moment - MARGIN for number, moment in began.items()})
    wrong = [number for number, decision in decisions.items()
             if decision != "ignored_newer_registration"]
    stage.promise(not wrong, f"{len(wrong)} of {len(began)} tokens died of an answer from before"
                             " a launch that was acknowledged")
    # Who has not launched since: so an answer can be believed at all.
    died = tell_deaths(stage, dict.fromkeys(sleepers, int(time.time() * 1000)))
    stage.promise(set(died.values()) == {"invalidated"},
                  f"deaths were answered {set(died.values())}")
    statuses = [launcher.statuses for launcher in launchers]
    stage.result.figures |= {
        "launches": sum(sum(each.values()) for each in statuses),
        "acknowledged launches": sum(each.get(200, 0) for each in statuses),
        "devices": len(began)}
    strange = {status for each in statuses for status in each} - {200, 503, "broken"}
    stage.promise(not strange, f"launches were answered {strange}")
