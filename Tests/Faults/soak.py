"""An hour of mixed load with a fault a minute: does memory stay flat, and does the registry hold?

Environment:

- `POSTILION_PROGRAM`: the program under test; `.build/release/postilion` unless set.
- `MINUTES`: how long; 60 unless set.
- `FAULTS`: the faults that take turns, by name; empty for none.
- `RATE`: registrations a second, about; 80 unless set.
- `SOAK_SVG`, `SOAK_JSON`: where the chart and the samples go; `.build/soak.svg` and `.json`.

The exit status is 1 when anything acknowledged is lost, a rule of the registry is broken, or
memory at the end differs by more than a twentieth from that after ten minutes.
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
from service import ROOT
from stage import Stage, Workshop
from traffic import Traffic

# Seconds between two samples.
INTERVAL = 5
# From this minute on memory has to be flat: pools and caches are full by then.
WARM_MINUTES = 10
# How much memory may differ between then and the end.
TOLERANCE = 0.05

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
        self.samples = []  # (minute, megabytes, descriptors)

    def run(self):
        while not self.stopping.wait(INTERVAL):
            sample = self.stage.service.sample()
            self.samples.append(((sample.at - self.began) / 60,
                                 sample.resident_bytes / (1 << 20), sample.descriptors))

    def around(self, minute):
        """The median of the memory within a minute and a half before and after a minute."""
        near = sorted(megabytes for at, megabytes, _ in self.samples if abs(at - minute) <= 1.5)
        return near[len(near) // 2] if near else None


def harm(stage, faults, minutes, began):
    """Makes a fault each minute; gives the minutes at which they began."""
    marks, number = [], 0
    while (minute := (time.monotonic() - began) / 60) < minutes:
        due = min(began + 60 * (int(minute) + 1), began + 60 * minutes)
        time.sleep(max(0, due - time.monotonic()))
        if not faults or (time.monotonic() - began) / 60 > minutes - 1:
            continue
        name = faults[number % len(faults)]
        number += 1
        marks.append(((time.monotonic() - began) / 60, name))
        known = len(stage.result.broken)
        try:
            FAULTS[name](stage)
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            stage.promise(False, f"the fault broke off: {error!r}")
        for text in stage.result.broken[known:]:
            print(f"NOT KEPT  minute {marks[-1][0]:.0f}, {name}: {text}", flush=True)
    return marks


def compare(stage, recorder, minutes):
    """Compares the memory at the end with that of a warm process."""
    if minutes <= WARM_MINUTES + 2:
        return {}
    warm, last = recorder.around(WARM_MINUTES), recorder.around(minutes)
    growth = last / warm - 1
    stage.promise(abs(growth) <= TOLERANCE, f"memory changed by {growth:+.1%}")
    return {"minute_10_mb": round(warm, 1), f"minute_{minutes:.0f}_mb": round(last, 1),
            "growth": round(growth, 4)}


def soak(stage, minutes, faults, rate):
    """Runs the load and the faults; gives the figures, and what was recorded."""
    for device in stage.load.devices:
        device.pause = len(stage.load.devices) / rate
    began = time.monotonic()
    recorder = Recorder(stage, began)
    recorder.start()
    with Traffic(stage.app) as traffic:
        marks = harm(stage, faults, minutes, began)
        stage.load.await_more(1)
    recorder.stopping.set()
    recorder.join()
    figures = compare(stage, recorder, minutes)
    stage.settle()
    result = stage.conclude()
    return {
        "minutes": minutes, "faults": len(marks), "requests": result.requests,
        "acknowledged": result.acknowledged, "lost": result.lost,
        "longest_outage_s": round(result.outage_s, 2),
        "leaked_descriptors": result.leaked_descriptors,
        "leaked_connections": result.leaked_connections, **figures,
        "installations": int(stage.database.query("SELECT count(*) FROM installation")[0]),
        "traffic": traffic.statuses, "broken": result.broken,
    }, recorder, marks


def draw(recorder, marks, minutes):
    """The picture of memory and descriptors."""
    moments = [minute for minute, _ in marks]
    return chart.chart(
        "Memory and descriptors of the service over time",
        (("Resident memory, MB (a dashed line is a fault)",
          [(minute, megabytes) for minute, megabytes, _ in recorder.samples]),
         ("Descriptors", [(minute, count) for minute, _, count in recorder.samples])),
        moments, minutes)


def main():
    """Soaks, draws and prints."""
    minutes = float(os.environ.get("MINUTES") or 60)
    faults = os.environ.get("FAULTS", " ".join(FAULTS)).split()
    if unknown := [name for name in faults if name not in FAULTS]:
        sys.exit(f"No such fault: {' '.join(unknown)}. There are: {' '.join(FAULTS)}")
    with Workshop() as workshop, Stage(workshop, "soak", devices=4) as stage:
        figures, recorder, marks = soak(
            stage, minutes, faults, float(os.environ.get("RATE") or 80))
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
