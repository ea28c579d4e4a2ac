internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// A device as rendering sees it, shared by all devices of the same traits.
final class PreparedTraits: @unchecked Sendable {
  let addressee: Addressee
  let catalogs: DeviceCatalogs
  /// Only the rendering under way touches it, of which a stream has one at a time.
  var patterns = PatternMemory()

  /// Reads the traits of a device, and finds its catalogs.
  init(_ traits: RawColumns, _ found: RenderCatalogs) async throws {
    addressee = Addressee(try traits.read(DeviceTraits.init))
    if case .device(let device) = addressee {
      catalogs = try await found.catalogs(for: device)
    } else {
      catalogs = DeviceCatalogs()
    }
  }
}

/// A device of a recipient.
struct PreparedDevice: Sendable {
  let row: AudienceRow
  let traits: PreparedTraits
}

/// A recipient before it is rendered.
struct PreparedRecipient: Sendable {
  /// What it gets, or why there is no telling.
  enum Content: Sendable {
    case quick(QuickLine)
    case full(Recipient)
    case failed(Problem)
  }
  /// Where it gets it.
  enum Devices: Sendable {
    case one(PreparedDevice)
    case all([PreparedDevice])

    var isEmpty: Bool {
      switch self {
      case .one: false
      case .all(let devices): devices.isEmpty
      }
    }
  }

  let index: Int
  let content: Content
  let devices: Devices
}

/// Recipients that are rendered together: a pure function of what is known of them, for a thread.
struct RecipientRendering: Sendable {
  let plan: RecipientPlan
  let requestID: String
  /// What the recipients were read from.
  private let read: ReadRecipients
  private let budget: PatternBudget
  /// Those that were filled.
  private var patterns: [LinePattern] = []
  private(set) var lines: LineBuffer
  private(set) var summary = RenderSummary()
  /// Devices whose texts come from another build's catalog.
  private(set) var withoutCatalog: [Device] = []
  private var requests: RequestLines

  init(
    _ plan: RecipientPlan, requestID: String, _ read: ReadRecipients, lines: LineBuffer,
    ids: RandomIDs, budget: PatternBudget
  ) {
    self.plan = plan
    self.read = read
    self.budget = budget
    self.requestID = requestID
    self.lines = lines
    requests = RequestLines(ids: ids)
  }

  /// Renders a recipient.
  mutating func add(_ recipient: PreparedRecipient) {
    var content = recipient.content
    if recipient.devices.isEmpty, case .quick(let quick) = content, plan.isSound(quick) {
      skip(recipient.index, nil, .installationNotFound)
    } else {
      switch recipient.devices {
      case .one(let device): add(device, recipient.index, &content)
      case .all(let devices) where devices.isEmpty: addNowhere(recipient.index, &content)
      case .all(let devices):
        for device in devices { add(device, recipient.index, &content) }
      }
    }
    let failed = if case .failed = content { 1 } else { 0 }
    let known = summary.recipients ?? (0, 0)
    summary.recipients = (known.all + 1, known.failed + failed)
  }

  /// Ends it, and takes what was written.
  mutating func finish() -> [UInt8] {
    for pattern in patterns {
      summary.add(pattern.content, devices: pattern.pendingDevices)
      pattern.pendingDevices = 0
      tellCatalog(of: pattern.content, pattern.device)
    }
    patterns = []
    return lines.take()
  }

  // MARK: Patterns

  /// Fills the pattern of a line.
  /// - Returns: Whether it could; nothing was written otherwise.
  private mutating func add(
    _ quick: QuickLine, _ prepared: PreparedDevice, _ index: Int
  ) -> Bool {
    let row = prepared.row
    switch prepared.traits.addressee {
    case .unreachable(let reason):
      guard plan.isSound(quick) else { return false }
      skip(index, row.installationID, reason)
      return true
    case .device(let device):
      guard let token = row.token else { return false }
      switch pattern(for: quick, prepared, device) {
      case .none: return false
      case .denied:
        skip(index, row.installationID, .denied)
        return true
      case .pattern(let pattern):
        let id = requests.ids.next()
        let (bytes, arguments) = (read.bytes, read.arguments)
        var isFilled = false
        lines.addIfAny { output in
          bytes.withUnsafeBufferPointer { bytes in
            isFilled = pattern.append(
              LinePattern.Words(
                index: index, installation: row.installationID, token: token.bytes, id: id,
                badge: quick.badge ?? 0, quick: quick, bytes: bytes, arguments: arguments),
              to: &output)
          }
          return isFilled
        }
        guard isFilled else { return false }
        if pattern.pendingDevices == 0 { patterns.append(pattern) }
        pattern.pendingDevices += 1
        return true
      }
    }
  }

  private func pattern(
    for quick: QuickLine, _ prepared: PreparedDevice, _ device: Device
  ) -> PatternMemory.Outcome {
    let environment = prepared.row.environment
    let key = PatternMemory.Key(
      quick, in: read.bytes, read.arguments, plan.quickReader?.texts ?? 0, environment)
    let traits = prepared.traits
    if let known = traits.patterns[key] { return known }
    guard budget.hasRoom else { return .none }
    let outcome = plan.pattern(
      for: quick, read.bytes[quick.line], device, traits.catalogs, environment)
    traits.patterns[key] = outcome
    budget.take(outcome, of: key)
    return outcome
  }

  // MARK: Renderings of their own

  /// Renders for a device; what turns out to be wrong is told once.
  private mutating func add(
    _ device: PreparedDevice, _ index: Int, _ content: inout PreparedRecipient.Content
  ) {
    if case .quick(let quick) = content, add(quick, device, index) { return }
    guard let recipient = full(index, &content) else { return }
    add(device, index, plan.renderer(for: recipient))
  }

  /// A recipient without a device.
  private mutating func addNowhere(_ index: Int, _ content: inout PreparedRecipient.Content) {
    if case .failed(let problem) = content { return fail(index, problem) }
    guard full(index, &content) != nil else { return }
    skip(index, nil, .installationNotFound)
  }

  /// The recipient, read in full; `nil` after telling what is wrong with it.
  private mutating func full(
    _ index: Int, _ content: inout PreparedRecipient.Content
  ) -> Recipient? {
    switch content {
    case .failed: return nil
    case .full(let recipient): return recipient
    case .quick(let quick):
      do throws(InputFailure) {
        let recipient = try plan.read(line: read.bytes[quick.line])
        content = .full(recipient)
        return recipient
      } catch {
        let problem = Problem(error)
        fail(index, problem)
        content = .failed(problem)
        return nil
      }
    }
  }

  private mutating func add(_ prepared: PreparedDevice, _ index: Int, _ renderer: Renderer) {
    let id = prepared.row.installationID
    let device: Device
    switch prepared.traits.addressee {
    case .unreachable(let reason): return skip(index, id, reason)
    case .device(let reached): device = reached
    }
    if !plan.settings.includesDenied, renderer.isDenied(by: device.permissions) {
      return skip(index, id, .denied)
    }
    let content = renderer.content(for: device, catalogs: prepared.traits.catalogs)
    tellCatalog(of: content, device)
    if let refusal = content.refusal {
      return skip(index, id, SkipReason(rawValue: refusal.code) ?? .payloadTooLarge)
    }
    guard let delivery = Delivery(prepared.row) else { return }
    summary.add(content, devices: 1)
    let template = RequestTemplate(content, plan.settings.shape.payloadForm)
    requests.add(delivery, index: index, template, to: &lines)
  }

  private mutating func tellCatalog(of content: RenderedContent, _ device: Device) {
    if content.usesNearestCatalog {
      withoutCatalog.append(device)
    }
  }

  private mutating func skip(_ index: Int, _ id: UUID?, _ reason: SkipReason) {
    summary.skipped[reason, default: 0] += 1
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("index", index)
      if let id { writer.member("installation_id", InstallationID(id).text) }
      writer.member("skipped", reason.rawValue)
    }
    lines.add { $0 += writer.bytes }
  }

  private mutating func fail(_ index: Int, _ problem: Problem) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("index", index)
      writer.key("error")
      writer.raw(problem.json(requestID: requestID))
    }
    lines.add { $0 += writer.bytes }
  }
}
