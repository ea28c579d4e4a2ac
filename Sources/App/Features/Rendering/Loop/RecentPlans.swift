internal import Content
internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Renders messages for one installation each: the answer is an object.
///
/// A backend that tells many people the same sends one message again and again. So a loop keeps a
/// plan of each message that came before, with the lines of its requests, for a minute at most.
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
      let plan = try RenderPlan(
        message, name: name, .own([:]), request.settings, app: call.app, now: call.now)
      return RecentPlan(
        RenderLoop(
          plan, call, metrics, traitBytes: Limits.planTraitBytes,
          lineBytes: Limits.planLineBytes),
        call, generation: generation,
        lifetime: message.dependsOnTime ? 1 : Limits.renderPlanSeconds)
    }
    let selection = try await AudienceSelection(
      request.audience, target, call.app, call.context.database)
    guard let id = selection.ids?.first,
      let row = try await plan.device(id, selection.target, call)
    else {
      throw Problem(.installationNotFound, nil)
    }
    let (loop, filled) = (plan.loop, plan.loop.filled)
    guard let device = try await loop.devices.prepare([row]).first else {
      throw Problem(.installationNotFound, nil)
    }
    let json = try loop.object(
      for: Recipient(message: message, arguments: arguments), at: device)
    if loop.filled > filled { metrics.filled() }
    try await loop.endActivities()
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
  let loop: RenderLoop
  /// The second in which it was used.
  var lastUse: Int64
  /// That of catalogs and messages of which it was made.
  private let generation: UInt64
  private let appTag: Int64
  private let seconds: Range<Int64>

  init(_ loop: RenderLoop, _ call: Call, generation: UInt64, lifetime: Int64) {
    self.loop = loop
    self.generation = generation
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
      && !loop.devices.catalogs.areFull
  }

  /// A device. It is read together with those that other calls ask for; if the message needs
  /// attributes, or goes to a token without columns, by a statement of its own.
  func device(
    _ id: InstallationID, _ target: CredentialTarget, _ call: Call
  ) async throws -> AudienceRow? {
    let (appID, plan) = (call.app.id, loop.plan)
    if plan.attributes.isEmpty, target.hasColumns {
      return try await call.context.registrar.device(
        appID: appID, id: id, target.kind, plan.aspects)
    }
    return try await call.context.database.read(
      DevicesOfInstallations(
        appID: appID, ids: [id], target: target, aspects: plan.aspects,
        attributes: plan.attributes)
    ).first
  }
}
