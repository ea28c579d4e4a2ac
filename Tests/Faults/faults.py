"""Harms the service and its database in every way of a table, and counts what was lost.

Environment:

- `POSTILION_PROGRAM`: the program under test; `.build/release/postilion` unless set.
- `FAULTS`: the faults to run, by name; all unless set.
- `RUNS`: how often each; 3 unless set.
- `FAULTS_JSON`: where the rows are written as JSON; `.build/faults.json` unless set.

The exit status is 1 when a promise does not hold, such as when anything acknowledged was lost.
"""

import dataclasses
import functools
import os
import pathlib
import sys
import time
import traceback

import client_faults
import cost_faults
import database_faults
import embedded_faults
import failover_faults
import feed_faults
import frozen_faults
import instance_faults
import launch_faults
import leak_faults
import reader_faults
import service_faults
import stream_faults
import table
from service import ROOT
from stage import Result, Skipped, Stage, Workshop


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault: the harm, and what its stage needs."""

    name: str
    harm: object
    stage: dict = dataclasses.field(default_factory=dict)
    # Whether the process stays, so that what it holds afterwards can be compared.
    keeps_process: bool = True


def small(name, megabytes):
    """The preparation of a database of which one folder has a small disk."""
    return functools.partial(
        database_faults.on_small_disk, name=name, megabytes=megabytes)


FAULTS = (
    Fault("kill", database_faults.kill),
    Fault("stop", database_faults.freeze),
    Fault("terminate", database_faults.terminate),
    Fault("restart", database_faults.restart),
    Fault("failover", database_faults.failover, {"standby": True}),
    Fault("full-disk", database_faults.fill_disk, {"place": small("base", 96)}),
    Fault("full-log", database_faults.fill_log, {
        "place": small("pg_wal", 96), "settings": {"max_wal_size": "64MB"}}),
    Fault("full-embedded", embedded_faults.fill_disk),
    Fault("lock", database_faults.lock_table),
    Fault("connections", database_faults.take_connections),
    Fault("standby", database_faults.freeze_standby, {"standby": True}),
    Fault("standby-failover", database_faults.lose_unreplicated, {"standby": True}),
    Fault("told-more", failover_faults.lose_what_was_told, {"standby": True}),
    Fault("clock-back", failover_faults.turn_clock_back, {"options": frozen_faults.OPTIONS},
          keeps_process=False),
    Fault("two-primaries", failover_faults.wake_primary, {"standby": True}),
    Fault("service-kill", service_faults.kill_service, keeps_process=False),
    Fault("drain", service_faults.drain, keeps_process=False),
    Fault("feed", feed_faults.feed, keeps_process=False),
    Fault("instances", instance_faults.instances, {
        "instances": instance_faults.INSTANCES, "kind": instance_faults.Teller},
          keeps_process=False),
    Fault("launches", launch_faults.harm_launches, {
        "instances": launch_faults.INSTANCES, "place": small("base", 96)}),
    Fault("frozen-instance", frozen_faults.freeze_instances, {
        "instances": instance_faults.INSTANCES, "options": frozen_faults.OPTIONS},
          keeps_process=False),
    Fault("hung-backends", frozen_faults.hang_processes, {
        "instances": instance_faults.INSTANCES, "options": frozen_faults.OPTIONS},
          keeps_process=False),
    Fault("log", service_faults.stall_log, keeps_process=False),
    Fault("descriptors", service_faults.starve_descriptors, {"files": 160}),
    Fault("slow-headers", client_faults.slow_headers),
    Fault("slow-body", client_faults.slow_body),
    Fault("half-bodies", client_faults.half_bodies),
    Fault("uploads", client_faults.uploads),
    Fault("slow-reader", stream_faults.slow_reader),
    Fault("slow-import", stream_faults.slow_import),
    Fault("unread-answers", reader_faults.unread_answers, {"options": leak_faults.OPTIONS}),
    Fault("reset", client_faults.reset),
    Fault("idle", client_faults.idle),
    Fault("storm", client_faults.storm),
    Fault("costly-requests", cost_faults.costly_requests, {"options": cost_faults.OPTIONS}),
    Fault("hostile-address", cost_faults.hostile_address, {"options": cost_faults.OPTIONS}),
    Fault("leaked-key", leak_faults.leak_key, {"options": leak_faults.OPTIONS}),
    Fault("leaked-key-many", leak_faults.leak_key_to_many, {"options": leak_faults.OPTIONS}),
)


def run(workshop, fault):
    """One run of a fault; one that could not be ended is a promise that was not kept."""
    stage = None
    try:
        with Stage(workshop, fault.name, **fault.stage) as stage:
            fault.harm(stage)
            stage.settle(fault.keeps_process)
            return stage.conclude()
    except Skipped:
        raise
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        result = stage.result if stage else Result(fault.name)
        result.broken.append(f"the run broke off: {error!r}")
        return result


def row(workshop, fault, runs):
    """All runs of a fault as a row."""
    results = []
    for number in range(1, runs + 1):
        began = time.monotonic()
        try:
            results.append(run(workshop, fault))
        except Skipped as reason:
            return {"fault": fault.name, "skipped": str(reason)}
        result = results[-1]
        print(f"{fault.name} {number}/{runs}: {result.acknowledged} acknowledged,"
              f" {result.lost} lost, outage {result.outage_s:.2f} s,"
              f" {time.monotonic() - began:.0f} s", *result.broken, sep="\n  ",
              file=sys.stderr, flush=True)
    return table.summary(fault.name, results)


def chosen():
    """The faults that the environment names."""
    names = os.environ.get("FAULTS", "").split() or [fault.name for fault in FAULTS]
    known = {fault.name: fault for fault in FAULTS}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"No such fault: {' '.join(unknown)}. There are: {' '.join(known)}")
    return [known[name] for name in names]


def main():
    """Runs the chosen faults, prints the table, and says whether all promises hold."""
    runs = int(os.environ.get("RUNS") or 3)
    faults = chosen()
    with Workshop() as workshop:
        rows = [row(workshop, fault, runs) for fault in faults]
    print(table.text(rows))
    table.write(pathlib.Path(os.environ.get("FAULTS_JSON") or ROOT / ".build/faults.json"), rows)
    return 1 if any(row.get("broken") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
