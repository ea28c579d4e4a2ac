internal import Rendering
internal import Telemetry

/// Writes renderings to the log and the metrics.
struct RenderMetrics: Sendable {
  private let logger: Logger
  private let renders: MetricFamily<Counter>
  private let skipped: MetricFamily<Counter>
  private let problems: MetricFamily<Counter>
  private let filledForms: Counter

  init(_ observation: Observation) {
    logger = observation.logger
    let metrics = observation.metrics
    renders = metrics.counter(
      "postilion_renders_total", "Devices that requests were rendered for, by mode.",
      "mode", Mode.allCases.map(\.rawValue))
    skipped = metrics.counter(
      "postilion_render_skipped_total", "Devices of audiences that get nothing, by reason.",
      "reason", SkipReason.allCases.map(\.rawValue))
    problems = metrics.counter(
      "postilion_render_problems_total", "Problems told with rendered requests, by code.",
      "code", RenderProblem.codes)
    filledForms = metrics.counter(
      "postilion_renders_filled_total",
      "Renderings for one installation whose words were filled into a form."
    ).child()
  }

  /// Counts a line that was filled with the words for one installation.
  func filled() { filledForms.increment() }

  /// Counts a content that was rendered for a number of devices.
  func rendered(_ content: RenderedContent, devices: Int) {
    renders.child(content.mode.rawValue).increment(by: devices)
    // Two texts may have the same problem; a device has it once.
    for code in Set(content.problems.map(\.code)) { problems.child(code).increment(by: devices) }
  }

  /// Counts devices of an audience that get nothing.
  func skipped(_ reason: SkipReason, devices: Int) {
    skipped.child(reason.rawValue).increment(by: devices)
  }

  /// Logs that devices have a build without a catalog, and get texts of another build.
  func catalogMissing(_ app: AppSlug, build: String) {
    logger.log(
      .warning, "catalog_missing", ["app": .string(app.text), "app_build": .string(build)])
  }
}
