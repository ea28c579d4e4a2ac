internal import ASCII
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
  let index: Int
  /// What it gets, or why that cannot be read or its devices cannot be found.
  let content: Result<Recipient, Problem>
  /// Where it gets it.
  let devices: [PreparedDevice]
}

/// Recipients that are rendered together: a pure function of what is known of them, for a thread.
struct RecipientRendering: Sendable {
  let plan: RecipientPlan
  let requestID: String
  private let forms: LineForms
  /// Those that were filled.
  private var filled: [LineForm] = []
  private(set) var lines: LineBuffer
  private(set) var summary = RenderSummary()
  /// Builds whose devices get texts of another build's catalog.
  private(set) var buildsWithoutCatalog: Set<Spelling> = []
  private var requests: RequestIDs
  private(set) var ended: EndedActivities

  init(
    _ plan: RecipientPlan, requestID: String, lines: LineBuffer, ids: RandomIDs, forms: LineForms
  ) {
    self.plan = plan
    self.forms = forms
    self.requestID = requestID
    self.lines = lines
    requests = RequestIDs(ids)
    ended = EndedActivities(plan.target, plan.settings)
  }

  /// Renders a recipient.
  mutating func add(_ recipient: PreparedRecipient) {
    var failed = 0
    switch recipient.content {
    case .failure(let problem):
      fail(recipient.index, problem)
      failed = 1
    case .success where recipient.devices.isEmpty:
      skip(recipient.index, nil, .installationNotFound)
    case .success(let content):
      let own = plan.words(of: content)
      for device in recipient.devices { add(content, own, device, recipient.index) }
    }
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

  private mutating func add(
    _ recipient: Recipient, _ own: OwnWords?, _ prepared: PreparedDevice, _ index: Int
  ) {
    let (row, known) = (prepared.row, prepared.known)
    if let reason = known.unreachable { return skip(index, row.installationID, reason) }
    guard let circumstances = known.circumstances else { return }
    if let own {
      switch plan.treatment(of: recipient, own, in: circumstances, forms) {
      case .alone: break
      case .skipped(let reason): return skip(index, row.installationID, reason)
      case .form(let form):
        if fill(form, own, for: prepared, index) { return }
      }
    }
    switch plan.verdict(on: recipient, in: circumstances.circumstances) {
    case .skipped(let reason, _): skip(index, row.installationID, reason)
    case .content(let content):
      guard let recipient = requests.recipient(row, index) else { return }
      if content.usesNearestCatalog { buildsWithoutCatalog.insert(known.build) }
      summary.add(content, devices: 1)
      let form = RequestForm(content, plan.settings.shape.payloadForm)
      lines.addIfAny { form.append(for: recipient, to: &$0) }
      ended.add(row)
    }
  }

  /// Fills a form with the words of a recipient.
  /// - Returns: Whether they fit; nothing was written otherwise.
  private mutating func fill(
    _ form: LineForm, _ own: OwnWords, for device: PreparedDevice, _ index: Int
  ) -> Bool {
    guard let recipient = requests.recipient(device.row, index),
      lines.addIfAny({ form.request.append(for: recipient, own.words, to: &$0) })
    else { return false }
    if form.pendingDevices == 0 { filled.append(form) }
    form.pendingDevices += 1
    ended.add(device.row)
    if form.usesNearestCatalog { buildsWithoutCatalog.insert(device.known.build) }
    return true
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
