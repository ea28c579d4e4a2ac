internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// A device of a recipient.
struct PreparedDevice: Sendable {
  let row: AudienceRow
  let known: KnownAddressees.Known
}

/// A recipient before it is rendered.
struct PreparedRecipient: Sendable {
  /// What it gets, or why that cannot be read.
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
  private let forms: LineForms
  /// Those that were filled.
  private var filled: [LineForm] = []
  private(set) var lines: LineBuffer
  private(set) var summary = RenderSummary()
  /// Builds whose devices get texts of another build's catalog.
  private(set) var buildsWithoutCatalog: Set<String> = []
  private var requests: RequestIDs

  init(
    _ plan: RecipientPlan, requestID: String, _ read: ReadRecipients, lines: LineBuffer,
    ids: RandomIDs, forms: LineForms
  ) {
    self.plan = plan
    self.read = read
    self.forms = forms
    self.requestID = requestID
    self.lines = lines
    requests = RequestIDs(ids)
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
    for form in filled {
      summary.add(form.content, devices: form.pendingDevices)
      form.pendingDevices = 0
    }
    filled = []
    return lines.take()
  }

  // MARK: Forms

  /// Fills the form of a line.
  /// - Returns: Whether it could; nothing was written otherwise.
  private mutating func add(
    _ quick: QuickLine, _ prepared: PreparedDevice, _ index: Int
  ) -> Bool {
    let (row, known) = (prepared.row, prepared.known)
    if let reason = known.unreachable {
      guard plan.isSound(quick) else { return false }
      skip(index, row.installationID, reason)
      return true
    }
    guard let circumstances = known.circumstances, let reader = plan.quickReader,
      let recipient = requests.recipient(row, index)
    else { return false }
    let (plan, read, forms) = (plan, read, forms)
    let key = LineForms.Key(quick, in: read.bytes, read.arguments, reader.texts, circumstances)
    return read.bytes.withUnsafeBufferPointer { bytes in
      let words = RequestForm.Words(bytes: bytes, ranges: read.arguments[quick.arguments])
      let treatment = forms.treatment(of: key) {
        guard plan.hasAllArguments(quick),
          let recipient = try? plan.read(line: read.bytes[quick.line])
        else { return .alone }
        return plan.form(
          of: recipient, words, reader, given: quick.given, hasCollapseID: quick.hasCollapseID,
          in: circumstances.circumstances)
      }
      switch treatment {
      case .alone: return false
      case .skipped(let reason):
        skip(index, row.installationID, reason)
        return true
      case .form(let form):
        guard lines.addIfAny({ form.request.append(for: recipient, words, to: &$0) }) else {
          return false
        }
        if form.pendingDevices == 0 { filled.append(form) }
        form.pendingDevices += 1
        if form.usesNearestCatalog { buildsWithoutCatalog.insert(known.build) }
        return true
      }
    }
  }

  // MARK: Renderings of their own

  /// Renders for a device; what turns out to be wrong is told once.
  private mutating func add(
    _ device: PreparedDevice, _ index: Int, _ content: inout PreparedRecipient.Content
  ) {
    if case .quick(let quick) = content, add(quick, device, index) { return }
    guard let recipient = full(index, &content) else { return }
    add(recipient, device, index)
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

  private mutating func add(_ recipient: Recipient, _ prepared: PreparedDevice, _ index: Int) {
    let (row, known) = (prepared.row, prepared.known)
    if let reason = known.unreachable { return skip(index, row.installationID, reason) }
    guard let circumstances = known.circumstances else { return }
    switch plan.verdict(on: recipient, in: circumstances.circumstances) {
    case .skipped(let reason, _): skip(index, row.installationID, reason)
    case .content(let content):
      guard let recipient = requests.recipient(row, index) else { return }
      if content.usesNearestCatalog { buildsWithoutCatalog.insert(known.build) }
      summary.add(content, devices: 1)
      let form = RequestForm(content, plan.settings.shape.payloadForm)
      lines.addIfAny { form.append(for: recipient, to: &$0) }
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
