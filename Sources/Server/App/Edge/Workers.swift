internal import EventLoop
internal import Telemetry

/// Threads for work that would hold a loop, in two lines, so that short work does not wait behind
/// uploads.
struct Workers: Sendable {
  /// Reads uploads of catalogs, one after the other: a large upload takes a second of a core and
  /// hundreds of megabytes, which no two should take at once.
  let uploads: WorkerThreads
  /// Reads large bodies and stored catalogs, writes long answers, decides on imports.
  let requests: WorkerThreads

  init(_ observation: Observation) {
    let metrics = WorkMetrics(observation)
    uploads = WorkerThreads(Limits.uploadWork) { metrics.happened($0, in: .uploads) }
    requests = WorkerThreads(Limits.requestWork) { metrics.happened($0, in: .requests) }
  }
}

/// Tells the metrics of work on threads of its own.
private struct WorkMetrics: Sendable {
  enum Line: String, Sendable, CaseIterable { case uploads, requests }

  private struct Series: Sendable {
    let waiting: Gauge
    let waitingBytes: Gauge
    let running: Gauge
    let refused: Counter
  }

  private let uploads: Series
  private let requests: Series

  init(_ observation: Observation) {
    let metrics = observation.metrics
    let label = MetricLabel("queue", Line.allCases.map(\.rawValue))
    let waiting = metrics.gauge(
      "postilion_work_waiting", "Work that waits for a thread, by queue.", labels: [label])
    let waitingBytes = metrics.gauge(
      "postilion_work_waiting_bytes", "Bytes that waiting work holds, by queue.", labels: [label])
    let running = metrics.gauge(
      "postilion_work_running", "Work that threads are at, by queue.", labels: [label])
    let refused = metrics.counter(
      "postilion_work_refused_total", "Work that was turned away because too much waited.",
      labels: [label])
    func series(_ line: Line) -> Series {
      Series(
        waiting: waiting.child(line.rawValue), waitingBytes: waitingBytes.child(line.rawValue),
        running: running.child(line.rawValue), refused: refused.child(line.rawValue))
    }
    uploads = series(.uploads)
    requests = series(.requests)
  }

  func happened(_ event: WorkerThreads.Event, in line: Line) {
    let series = line == .uploads ? uploads : requests
    switch event {
    case .queued(let bytes):
      series.waiting.add(1)
      series.waitingBytes.add(bytes)
    case .begun(let bytes):
      series.waiting.add(-1)
      series.waitingBytes.add(-bytes)
      series.running.add(1)
    case .ended: series.running.add(-1)
    case .refused: series.refused.increment()
    }
  }
}
