internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// A recipient before it is rendered.
struct PreparedRecipient: Sendable {
  enum Content: Sendable {
    case recipient(Recipient)
    /// The recipient cannot be read, or its devices cannot be found: the JSON of the problem.
    case failed([UInt8])
  }

  /// Its place in a list of recipients; `nil` for an audience and for channels. A recipient of a
  /// list gets a line in any case.
  let index: Int?
  let content: Content
  /// The devices or channels that get the message.
  let devices: [PreparedDevice]
}

/// Renders a message for recipients, one after the other: the request of each device becomes a
/// line, which is made once and then filled. Everything that is rendered for devices or channels
/// goes through it.
///
/// One call at a time uses it, on its loop or on a thread; devices are read on the loop.
final class RenderLoop: @unchecked Sendable {
  let plan: RenderPlan
  let devices: KnownDevices
  private let app: AppRecord
  private let context: LoopContext
  private let metrics: RenderMetrics
  private var memory: LineMemory
  private var writer: any DeliveryWriter
  private var ended: EndedActivities
  /// The counts of the rendering.
  private(set) var summary: RenderSummary
  /// Lines with devices that are not counted yet.
  private var uncounted: [RenderedLine] = []
  /// Devices that get nothing and are not counted yet, by reason.
  private var skipped: [SkipReason: Int] = [:]
  /// Builds whose devices get texts of another build's catalog.
  private var buildsWithoutCatalog: [String] = []
  /// How often a remembered line was filled.
  private(set) var filled = 0

  /// - Parameters:
  ///   - traitBytes: The maximum bytes of remembered traits.
  ///   - lineBytes: The maximum bytes of remembered lines.
  init(
    _ plan: RenderPlan, _ call: Call, _ metrics: RenderMetrics,
    traitBytes: Int = Limits.rememberedTraitBytes,
    lineBytes: Int = Limits.rememberedLineBytes, summary: RenderSummary = RenderSummary()
  ) {
    self.plan = plan
    self.metrics = metrics
    self.summary = summary
    app = call.app
    context = call.context
    devices = KnownDevices(
      plan, RenderCatalogs(of: call.app, context, metrics), context.loop, maximumBytes: traitBytes)
    let shape = plan.settings.shape
    memory = LineMemory(maximumBytes: lineBytes, shape)
    let ids = RandomIDs(context.shared.randomBytes)
    writer =
      plan.message.push?.isBroadcast == true
      ? BroadcastWriter(shape.payloadForm, ids) : shape.writer(ids)
    ended = EndedActivities(plan.target, plan.settings)
  }

  /// The maximum number of lines to make for a recipient; existing lines are only filled.
  func unmadeLines(for prepared: PreparedRecipient) -> Int {
    guard plan.everyone != nil else { return max(1, prepared.devices.count) }
    return prepared.devices.count { $0.known.circumstances.map { $0.plain == nil } ?? false }
  }

  /// Renders a recipient.
  func add(_ prepared: PreparedRecipient, to lines: inout LineBuffer) {
    switch prepared.content {
    case .failed(let problem):
      fail(prepared.index, problem, &lines)
    case .recipient where prepared.devices.isEmpty:
      skip(prepared.index, nil, .installationNotFound, &lines)
    case .recipient(let recipient):
      let own = plan.words(of: recipient)
      for device in prepared.devices {
        let reason = add(recipient, own, device, prepared.index, &lines)
        if let (reason, _) = reason { skip(prepared.index, device, reason, &lines) }
      }
    }
    if prepared.index != nil { summary.recipients?.all += 1 }
  }

  /// The JSON of the one request, for the one device or channel that is asked for: the first line.
  /// - Throws: ``Problem`` when it gets nothing.
  func object(for recipient: Recipient, at device: PreparedDevice) throws(Problem) -> [UInt8] {
    var lines = LineBuffer(isArray: true)
    let own = plan.words(of: recipient)
    let reason = add(recipient, own, device, nil, &lines)
    writer.finish(to: &lines)
    if let (reason, detail) = reason {
      skipped[reason, default: 0] += 1
      count()
      throw Problem(reason, detail)
    }
    count()
    return lines.take()
  }

  /// Writes the lines that wait.
  /// - Parameter listed: How many installations an audience lists by their ids. Listed
  ///   installations that no row came for do not exist.
  func finish(listed: Int?, to lines: inout LineBuffer) {
    writer.finish(to: &lines)
    count()
    if let listed, listed > summary.devices {
      skipped[.installationNotFound] = listed - summary.devices
      count()
    }
  }

  /// Counts the rendered and skipped devices in metrics and summary; on the loop.
  func count() {
    for line in uncounted {
      summary.add(line.content, devices: line.devices)
      metrics.rendered(line.content, devices: line.devices)
      line.devices = 0
    }
    for (reason, devices) in skipped {
      summary.skipped[reason, default: 0] += devices
      metrics.skipped(reason, devices: devices)
    }
    for build in buildsWithoutCatalog { devices.catalogs.tellMissing(build) }
    (uncounted, skipped, buildsWithoutCatalog) = ([], [:], [])
  }

  /// Ends the Live Activities whose end was rendered; on the loop.
  func endActivities() async throws {
    let ended = ended
    self.ended.forget()
    try await ended.end(in: context, of: app)
  }

  /// Renders a recipient for one of its devices.
  /// - Returns: The reason why the device gets nothing.
  private func add(
    _ recipient: Recipient, _ own: OwnWords?, _ device: PreparedDevice, _ index: Int?,
    _ lines: inout LineBuffer
  ) -> (SkipReason, detail: String?)? {
    guard let circumstances = device.known.circumstances else {
      return (device.known.unreachable ?? .noCredential, nil)
    }
    if let own {
      switch entry(of: recipient, own, in: circumstances, &lines) {
      case .alone: break
      case .skipped(let reason, let detail): return (reason, detail)
      case .line(let line):
        if write(line, own.words, device, index, &lines) {
          filled += 1
          return nil
        }
      }
    }
    switch plan.verdict(on: recipient, in: circumstances.circumstances) {
    case .skipped(let reason, let detail): return (reason, detail)
    case .content(let content):
      _ = write(RenderedLine(content, plan.settings.shape), .none, device, index, &lines)
      return nil
    }
  }

  private func entry(
    of recipient: Recipient, _ own: OwnWords, in circumstances: KnownCircumstances,
    _ lines: inout LineBuffer
  ) -> LineMemory.Entry {
    let kind = own.kind(in: circumstances)
    if let known = memory[kind] { return known }
    if memory.isFull {
      writer.finish(to: &lines)
      memory.forget()
    }
    guard memory.isExpected(kind),
      let verdict = plan.verdict(onAllLike: recipient, own, in: circumstances.circumstances)
    else { return .alone }
    return memory.remember(verdict, of: kind)
  }

  /// Writes a line with the words of a recipient.
  /// - Returns: Whether the words fit; nothing was written otherwise.
  private func write(
    _ line: RenderedLine, _ words: RequestForm.Words, _ device: PreparedDevice, _ index: Int?,
    _ lines: inout LineBuffer
  ) -> Bool {
    guard writer.add(line, words, device.destination, index, to: &lines) else { return false }
    if line.devices == 0 { uncounted.append(line) }
    line.devices += 1
    if ended.isEnd, case .device(let row) = device.destination { ended.add(row) }
    if line.usesNearestCatalog, !device.known.isTold {
      device.known.isTold = true
      buildsWithoutCatalog.append(device.known.build)
    }
    return true
  }

  private func skip(
    _ index: Int?, _ device: PreparedDevice?, _ reason: SkipReason, _ lines: inout LineBuffer
  ) {
    skipped[reason, default: 0] += 1
    guard let index else { return }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("index", index)
      if case .device(let row)? = device?.destination {
        writer.member("installation_id", InstallationID(row.installationID).text)
      }
      writer.member("skipped", reason.rawValue)
    }
    lines.add { $0 += writer.bytes }
  }

  private func fail(_ index: Int?, _ problem: [UInt8], _ lines: inout LineBuffer) {
    summary.recipients?.failed += 1
    var writer = JSONWriter()
    writer.object { writer in
      if let index { writer.member("index", index) }
      writer.key("error")
      writer.raw(problem)
    }
    lines.add { $0 += writer.bytes }
  }
}
