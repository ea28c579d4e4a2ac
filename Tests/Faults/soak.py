"""An hour of mixed load with a fault a minute: does memory stay flat, and does the registry hold?

Environment:

- `POSTILION_PROGRAM`: the program under test; `.build/release/postilion` unless set.
- `MINUTES`: how long; 60 unless set.
- `FAULTS`: the faults that take turns, by name; empty for none.
- `RATE`: registrations a second, about; 120 unless set.
- `LAUNCHES`: unchanged launches before the hour begins; 262,144 unless set.
- `SOAK_SVG`, `SOAK_JSON`: where the chart and the samples go; `.build/soak.svg` and `.json`.

The exit status is 1 when anything acknowledged is lost, a rule of the registry is broken, a call
is answered 5xx while no fault explains it, or memory at the end differs by more than a twentieth
from that after ten minutes.

The service remembers the tokens of its latest 131,072 to 262,144 launches. That memory is full when
the hour begins; it would grow for most of the hour otherwise.
"""

import json
import os
import pathlib
import sys
import threading
import time
import traceback

import chart
import client_faults
import database_faults
from launches import launch
from service import ROOT
from stage import Stage, Workshop
from traffic import Traffic

# Seconds between two samples.
INTERVAL = 5
# Around this minute and the last one memory has to be the same: each fault has been by then.
WARM_MINUTES = 10
# So many minutes around a minute are looked at: the memory of launches is renewed in parts, and has
# its least and its most within some minutes.
WINDOW_MINUTES = 10
# So many seconds after a fault its 5xx answers have ended: calls wait no longer than that.
AFTERMATH = 15
# How much memory may differ between then and the end.
TOLERANCE = 0.05
# The new devices of an hour with one key are those of a month of a large app: six rows each.
OPTIONS = {"POSTILION_LIMIT_KEY_GROWTH": "6000/6000000"}

# Faults after which the process is the same, so that its memory can be compared.
FAULTS = {
    "kill": database_faults.kill, "terminate": database_faults.terminate,
    "reset": client_faults.reset, "restart": database_faults.restart,
    "idle": client_faults.idle, "stop": database_faults.freeze,
    "slow-body": client_faults.slow_body, "lock": database_faults.lock_table,
    "storm": client_faults.storm, "connections": database_faults.take_connections,
}


class Recorder(threading.Thread):
    """Samples what the process holds."""

    def __init__(self, stage, began):
        super().__init__(daemon=True)
        self.stage, self.began = stage, began
        self.stopping = threading.Event()
        self.samples = []  # (minute, megabytes, descriptors, megabytes of files)

    def run(self):
        while not self.stopping.wait(INTERVAL):
            sample = self.stage.service.sample()
            self.samples.append(((sample.at - self.began) / 60,
                                 sample.resident_bytes / (1 << 20), sample.descriptors,
                                 sample.file_bytes / (1 << 20)))

    def around(self, minute):
        """The memory around a minute: the median, the least and the most."""
        near = sorted(megabytes for at, megabytes, *_ in self.samples
                      if abs(at - minute) <= WINDOW_MINUTES / 2)
        return near[len(near) // 2], near[0], near[-1]


def harm(stage, faults, minutes, began):
    """Makes a fault each minute; gives the minutes at which they began, and their moments."""
    marks, spans, number = [], [], 0
    while (minute := (time.monotonic() - began) / 60) < minutes:
        due = min(began + 60 * (int(minute) + 1), began + 60 * minutes)
        time.sleep(max(0, due - time.monotonic()))
        if not faults or (time.monotonic() - began) / 60 > minutes - 1:
            continue
        name = faults[number % len(faults)]
        number += 1
        marks.append(((time.monotonic() - began) / 60, name))
        known, start = len(stage.result.broken), time.monotonic()
        try:
            FAULTS[name](stage)
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            stage.promise(False, f"the fault broke off: {error!r}")
        spans.append((start, time.monotonic() + AFTERMATH))
        for text in stage.result.broken[known:]:
            print(f"NOT KEPT  minute {marks[-1][0]:.0f}, {name}: {text}", flush=True)
    return marks, spans


def compare(stage, recorder, minutes):
    """Compares the memory at the end with that of a warm process."""
    if minutes < WARM_MINUTES + WINDOW_MINUTES:
        return {}
    figures, medians = {}, []
    for minute in (WARM_MINUTES, minutes):
        median, least, most = recorder.around(minute)
        medians.append(median)
        figures[f"minute_{minute:.0f}_mb"] = {
            "median": round(median, 1), "least": round(least, 1), "most": round(most, 1)}
    growth = medians[1] / medians[0] - 1
    stage.promise(abs(growth) <= TOLERANCE, f"memory changed by {growth:+.1%}")
    return figures | {"growth": round(growth, 4)}


def soak(stage, minutes, faults, rate):
    """Runs the load and the faults; gives the figures, and what was recorded."""
    for device in stage.load.devices:
        device.pause = len(stage.load.devices) / rate
    launch(stage, int(os.environ.get("LAUNCHES") or 262_144))
    began = time.monotonic()
    recorder = Recorder(stage, began)
    recorder.start()
    with Traffic(stage.app) as traffic:
        marks, spans = harm(stage, faults, minutes, began)
        stage.load.await_more(1)
    recorder.stopping.set()
    recorder.join()
    figures = compare(stage, recorder, minutes)
    unexplained = [f"{(moment - began) / 60:.2f}" for moment in traffic.failures
                   if not any(start <= moment <= end for start, end in spans)]
    stage.promise(not unexplained,
                  f"5xx without a fault in minutes {' '.join(unexplained[:20])}")
    stage.settle()
    result = stage.conclude()
    return {
        "minutes": minutes, "faults": len(marks), "requests": result.requests,
        "acknowledged": result.acknowledged, "lost": result.lost,
        "longest_outage_s": round(result.outage_s, 2),
        "leaked_descriptors": result.leaked_descriptors,
        "leaked_connections": result.leaked_connections, **figures,
        "installations": int(stage.database.query("SELECT count(*) FROM installation")[0]),
        "traffic": traffic.statuses, "failed": len(traffic.failures),
        "failed_without_a_fault": len(unexplained), "broken": result.broken,
    }, recorder, marks


def draw(recorder, marks, minutes):
    """The picture of memory and descriptors."""
    moments = [minute for minute, _ in marks]
    return chart.chart(
        "Memory and descriptors of the service over time",
        (("Resident memory, MB (a dashed line is a fault)",
          [(minute, megabytes) for minute, megabytes, *_ in recorder.samples]),
         ("Descriptors", [(minute, count) for minute, _, count, _ in recorder.samples])),
        moments, minutes)


def main():
    """Soaks, draws and prints."""
    minutes = float(os.environ.get("MINUTES") or 60)
    faults = os.environ.get("FAULTS", " ".join(FAULTS)).split()
    if unknown := [name for name in faults if name not in FAULTS]:
        sys.exit(f"No such fault: {' '.join(unknown)}. There are: {' '.join(FAULTS)}")
    with Workshop() as workshop, Stage(
            workshop, "soak", devices=4, options=OPTIONS) as stage:
        figures, recorder, marks = soak(
            stage, minutes, faults, float(os.environ.get("RATE") or 120))
    picture = pathlib.Path(os.environ.get("SOAK_SVG") or ROOT / ".build/soak.svg")
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(draw(recorder, marks, minutes), encoding="utf-8")
    record = {**figures, "marks": marks, "samples": recorder.samples}
    pathlib.Path(os.environ.get("SOAK_JSON") or ROOT / ".build/soak.json").write_text(
        json.dumps(record) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=2))
    return 1 if figures["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
