internal import Content
internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Renders messages for one installation each: the answer is an object.
///
/// A backend that tells many people the same sends one message again and again. So an event loop
/// keeps a plan of each message that came before, with the lines of its requests, for a minute at
/// most.
///
/// It belongs to its event loop.
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
  /// The second in which expired plans were last forgotten.
  private var sweptSecond: Int64 = 0

  /// The plans of a call's event loop.
  static func of(_ call: Call) -> RecentPlans { call.context.kept { RecentPlans() } }

  /// The JSON of the answer.
  /// - Throws: ``Problem`` when the device gets nothing; ``InputFailure``; ``PostgresError``.
  /// - Parameters:
  ///   - generation: That of the content, read before the message.
  ///   - resolved: The message with its name and arguments.
  ///   - target: The token of a device that gets the message: one at most.
  func render(
    _ request: RenderRequest, generation: UInt64, _ resolved: (String?, Message, Arguments),
    _ target: CredentialTarget, _ call: Call, _ metrics: RenderMetrics
  ) async throws -> [UInt8] {
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
    let (renderLoop, filled) = (plan.renderLoop, plan.renderLoop.filled)
    guard let device = try await renderLoop.devices.prepare([row]).first else {
      throw Problem(.installationNotFound, nil)
    }
    let json = try renderLoop.object(
      for: Recipient(message: message, arguments: arguments), at: device)
    if renderLoop.filled > filled { metrics.filled() }
    try await renderLoop.endActivities()
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

/// The plan for one message, with the lines that are remembered for it.
private final class RecentPlan {
  let renderLoop: RenderLoop
  /// The second of the last use.
  var lastUse: Int64
  /// The generation of the catalogs and messages that the plan was made of.
  private let generation: UInt64
  private let appTag: Int64
  private let seconds: Range<Int64>

  init(_ renderLoop: RenderLoop, _ call: Call, generation: UInt64, lifetime: Int64) {
    self.renderLoop = renderLoop
    self.generation = generation
    appTag = call.app.tag
    lastUse = call.now.microseconds / 1_000_000
    seconds = lastUse..<lastUse + lifetime
  }

  /// Whether a call may use the plan: none of the data that it was made of has changed.
  func isValid(for call: Call, at second: Int64) -> Bool {
    appTag == call.app.tag && isCurrent(for: call, at: second)
  }

  /// Whether the plan is valid, as far as a call of another app can tell.
  func isCurrent(for call: Call, at second: Int64) -> Bool {
    generation == call.context.content.generation && seconds.contains(second)
      && !renderLoop.devices.catalogs.areFull
  }

  /// Reads a device together with the devices of other calls. If the message needs attributes, or
  /// goes to a token without columns, a statement of its own reads it.
  func device(
    _ id: InstallationID, _ target: CredentialTarget, _ call: Call
  ) async throws -> AudienceRow? {
    let (appID, plan) = (call.app.id, renderLoop.plan)
    if plan.attributes.isEmpty, target.hasColumns {
      return try await call.context.registrar.device(
        appID: appID, id: id, target.kind, plan.aspects)
    }
    return try await call.context.database.devices(plan.question(target), of: [id], appID).first
  }
}
