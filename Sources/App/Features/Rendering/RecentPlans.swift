internal import Content
internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Renders messages for one installation each: the answer is an object.
///
/// A backend that tells many people the same sends one message again and again. So a loop keeps a
/// plan of each message that came before, with the forms of its requests, for a minute at most.
///
/// It belongs to its loop.
final class RecentPlans {
  private struct Key: Hashable {
    enum Message: Hashable {
      case stored(MessageName)
      case inline(Int)
    }

    let appID: Int32
    let message: Message
    let settings: RenderSettings

    /// - Returns: `nil` for a message that came for the first time or names a channel, which may
    ///   have another id the next time, and for shapes without forms.
    ///   Example: a body of gorush, in which an expiration of 0 becomes the second after the
    ///   rendering.
    init?(_ request: RenderRequest, namesChannel: Bool, appID: Int32) {
      guard request.settings.takesForms, !namesChannel else { return nil }
      switch request.message {
      case .stored(let name, _): message = .stored(name)
      case .inline(_, let known?, _): message = .inline(known)
      case .inline(_, nil, _): return nil
      }
      self.appID = appID
      settings = request.settings
    }
  }

  private var plans: [Key: RecentPlan] = [:]
  /// When plans that were over were forgotten.
  private var sweptSecond: Int64 = 0

  /// The plans of a call's loop.
  static func of(_ call: Call) -> RecentPlans { call.context.kept { RecentPlans() } }

  /// The JSON of the answer.
  /// - Throws: ``Problem`` when the device gets nothing; ``InputFailure``; ``PostgresError``.
  /// - Parameters:
  ///   - resolved: The message with its name and arguments.
  ///   - target: What of a device gets it: one token at most.
  func render(
    _ request: RenderRequest, _ resolved: (String?, Message, Arguments),
    _ target: CredentialTarget, _ call: Call, _ metrics: RenderMetrics
  ) async throws -> [UInt8] {
    let generation = call.context.content.generation
    let (name, message, arguments) = resolved
    let plan = try plan(for: request, message, call) {
      RecentPlan(
        try RecipientPlan(message, name: name, request.settings, app: call.app, now: call.now),
        RenderCatalogs(of: call.app, call.context, metrics), call, generation: generation,
        lifetime: message.dependsOnTime ? 1 : Limits.renderPlanSeconds)
    }
    let source = try await AudienceSource(
      request.audience, target, call.app, call.context.database)
    guard let id = source.ids?.first,
      let row = try await plan.device(id, source.target, call)
    else {
      throw Problem(.installationNotFound, nil)
    }
    let recipient = Recipient(
      address: .installation(id), message: message, arguments: arguments)
    let json = try await plan.render(recipient, row, call, metrics)
    var ended = EndedActivities(source.target, request.settings)
    ended.add(row)
    try await ended.end(in: call.context, of: call.app)
    return json
  }

  private func plan(
    for request: RenderRequest, _ message: Message, _ call: Call, _ make: () throws -> RecentPlan
  ) throws -> RecentPlan {
    let namesChannel = message.push?.inputChannelName != nil
    guard let key = Key(request, namesChannel: namesChannel, appID: call.app.id) else {
      return try make()
    }
    let second = call.now.microseconds / 1_000_000
    if second != sweptSecond {
      plans = plans.filter { $0.value.isCurrent(for: call, at: second) }
      sweptSecond = second
    }
    if let known = plans[key], known.isValid(for: call, at: second) {
      known.lastUse = second
      return known
    }
    let made = try make()
    if plans[key] == nil, plans.count >= Limits.renderPlans,
      let oldest = plans.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      plans[oldest.key] = nil
    }
    plans[key] = made
    return made
  }
}

/// How one message is rendered, and what is remembered of it.
private final class RecentPlan {
  private let plan: RecipientPlan
  private let catalogs: RenderCatalogs
  private let known: KnownAddressees
  private let forms = LineForms(maximumBytes: Limits.planFormBytes)
  private var ids: RequestIDs
  /// The second in which it was used.
  var lastUse: Int64
  /// That of catalogs and messages of which it was made.
  private let generation: UInt64
  private let appTag: Int64
  private let seconds: Range<Int64>

  init(
    _ plan: RecipientPlan, _ catalogs: RenderCatalogs, _ call: Call, generation: UInt64,
    lifetime: Int64
  ) {
    self.plan = plan
    self.catalogs = catalogs
    self.generation = generation
    known = KnownAddressees(plan, catalogs, maximumBytes: Limits.planTraitBytes)
    ids = RequestIDs(RandomIDs(call.context.shared.randomBytes, batch: 64))
    appTag = call.app.tag
    lastUse = call.now.microseconds / 1_000_000
    seconds = lastUse..<lastUse + lifetime
  }

  /// Whether a call may use it: nothing that it was made of has changed.
  func isValid(for call: Call, at second: Int64) -> Bool {
    appTag == call.app.tag && isCurrent(for: call, at: second)
  }

  /// The same, as far as a call of another app can tell.
  func isCurrent(for call: Call, at second: Int64) -> Bool {
    generation == call.context.content.generation && seconds.contains(second)
      && !catalogs.areFull
  }

  /// A device. It is read together with those that other calls ask for; if the message needs
  /// attributes, or goes to a token without columns, by a statement of its own.
  func device(
    _ id: InstallationID, _ target: CredentialTarget, _ call: Call
  ) async throws -> AudienceRow? {
    let appID = call.app.id
    if plan.attributes.isEmpty, CredentialKind.withColumns.contains(target.kind) {
      return try await call.context.registrar.device(
        appID: appID, id: id, target.kind, plan.aspects)
    }
    return try await call.context.database.read(
      DevicesOfInstallations(
        appID: appID, ids: [id], target: target, aspects: plan.aspects,
        attributes: plan.attributes)
    ).first
  }

  /// The JSON for a device.
  func render(
    _ recipient: Recipient, _ row: AudienceRow, _ call: Call, _ metrics: RenderMetrics
  ) async throws -> [UInt8] {
    func problem(_ reason: SkipReason, _ detail: String?) -> Problem {
      metrics.skipped(reason, devices: 1)
      return Problem(reason, detail)
    }
    let known = try await known.of(row.traits)
    guard let circumstances = known.circumstances, let requested = ids.recipient(row) else {
      throw problem(known.unreachable ?? .noCredential, nil)
    }
    let content: RenderedContent
    switch fill(recipient, requested, circumstances) {
    case .filled(let json, let form):
      metrics.filled(form)
      if form.usesNearestCatalog { catalogs.tellMissing(known.build) }
      return json
    case .skipped(let reason): throw problem(reason, nil)
    case .none:
      switch plan.verdict(on: recipient, in: circumstances.circumstances) {
      case .skipped(let reason, let detail): throw problem(reason, detail)
      case .content(let rendered): content = rendered
      }
    }
    metrics.rendered(content, devices: 1)
    if content.usesNearestCatalog { catalogs.tellMissing(known.build) }
    var writer = plan.settings.shape.writer(for: call.app)
    var lines = LineBuffer(isArray: true)
    writer.add(requested, 0, content, to: &lines)
    writer.finish(to: &lines)
    return lines.take()
  }

  private enum Filled {
    case filled([UInt8], LineForm)
    case skipped(SkipReason)
    /// It needs a rendering of its own.
    case none
  }

  /// Fills the words of a recipient into the form of its request.
  private func fill(
    _ recipient: Recipient, _ requested: RequestForm.Recipient,
    _ circumstances: NumberedCircumstances
  ) -> Filled {
    guard let own = plan.words(of: recipient) else { return .none }
    switch plan.treatment(of: recipient, own, in: circumstances, forms) {
    case .alone: return .none
    case .skipped(let reason): return .skipped(reason)
    case .form(let form):
      var json: [UInt8] = []
      guard form.request.append(for: requested, own.words, to: &json) else { return .none }
      return .filled(json, form)
    }
  }
}
