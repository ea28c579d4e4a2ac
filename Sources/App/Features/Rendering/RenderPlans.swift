internal import Content
internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// How a loop renders messages that go to one installation after the other, each with arguments of
/// its own: as the recipients of a stream are rendered, by patterns that are filled. A body is
/// compared with those before it by its ``QuickBody/frame``; a frame that came often within a
/// second is read and gets a plan, which lasts a minute at most.
///
/// It belongs to its loop.
final class RenderPlans {
  private struct Key: Hashable {
    let appID: Int32
    let frame: [UInt8]

    /// All bytes at once: an array would feed the hasher one by one.
    func hash(into hasher: inout Hasher) {
      hasher.combine(appID)
      frame.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// How often a frame, known by its hash, came within a second.
  private struct Sightings {
    var hash = 0
    var second: Int64 = 0
    var count = 0
  }

  private var plans: [Key: RenderPlan] = [:]
  private var sightings = [Sightings](repeating: Sightings(), count: Limits.watchedFrames)
  private var ids: RandomIDs
  /// When plans that were over were forgotten.
  private var sweptSecond: Int64 = 0

  init(_ randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
    ids = RandomIDs(randomBytes, batch: 64)
  }

  /// What became of a body.
  enum Outcome {
    /// The JSON of the answer.
    case answer([UInt8])
    /// It needs a rendering of its own; the device, if it is known by now.
    case other(KnownDevice?)
  }

  /// A device that was read, with what of it was asked for beside its languages and its build.
  struct KnownDevice {
    let row: AudienceRow
    let aspects: DeviceAspects
  }

  /// Renders for the installation of a body.
  /// - Throws: ``Problem`` when it gets nothing; ``InputFailure``; ``PostgresError``.
  func render(
    _ body: QuickBody, _ call: Call, _ metrics: RenderMetrics
  ) async throws -> Outcome {
    var arguments: [Range<Int>] = []
    guard let plan = try await plan(for: body, call, metrics), let reader = plan.reader,
      let quick = body.line(reader, &arguments)
    else { return .other(nil) }
    let row = try await call.context.registrar.device(
      appID: call.app.id, id: body.installation, plan.recipients.settings.kind, plan.aspects)
    guard let row else {
      guard plan.recipients.isSound(quick) else { return .other(nil) }
      throw Problem(.installationNotFound, nil)
    }
    let other = Outcome.other(KnownDevice(row: row, aspects: plan.aspects))
    guard let traits = try await plan.traits(of: row) else { return other }
    func problem(_ reason: SkipReason) -> Problem {
      metrics.skipped(reason, devices: 1)
      return Problem(reason, nil)
    }
    switch traits.addressee {
    case .unreachable(let reason):
      guard plan.recipients.isSound(quick) else { return other }
      throw problem(reason)
    case .device(let device):
      let key = PatternMemory.Key(
        quick, in: body.bytes, arguments, reader.texts, row.environment)
      switch plan.pattern(key, body, quick, traits, device, row.environment) {
      case .none: return other
      case .denied: throw problem(.denied)
      case .pattern(let pattern):
        guard let token = row.token else { return other }
        var json: [UInt8] = []
        let isFilled = body.bytes.withUnsafeBufferPointer { bytes in
          pattern.append(
            LinePattern.Words(
              index: nil, installation: row.installationID, token: token.bytes, id: ids.next(),
              badge: 0, quick: quick, bytes: bytes, arguments: arguments),
            to: &json)
        }
        guard isFilled else { return other }
        metrics.filled(pattern)
        if pattern.content.usesNearestCatalog { plan.catalogs.tellMissing(device) }
        return .answer(json)
      }
    }
  }

  // MARK: Plans

  /// The plan for bodies of this frame, when it is worth one.
  private func plan(
    for body: QuickBody, _ call: Call, _ metrics: RenderMetrics
  ) async throws -> RenderPlan? {
    let key = Key(appID: call.app.id, frame: body.frame)
    let second = call.now.microseconds / 1_000_000
    if second != sweptSecond {
      plans = plans.filter { $0.value.isCurrent(for: call, at: second) }
      sweptSecond = second
    }
    if let known = plans[key], known.isValid(for: call, at: second) {
      known.lastUse = second
      return known
    }
    guard isFrequent(key, at: second), makeRoom(for: key, at: second) else { return nil }
    let generation = call.context.content.generation
    guard case .audience(let request) = try RenderBody.decode(body.bytes).body else { return nil }
    let (name, message, _) = try await call.context.content.resolve(request.message, of: call.app)
    if let known = plans[key], known.isValid(for: call, at: second) { return known }
    let plan = RenderPlan(
      try RecipientPlan(
        message, name: name, request.settings, app: call.app, now: call.now,
        random: call.context.shared.randomBytes(8)),
      RenderCatalogs(of: call.app, call.context, metrics),
      made: RenderPlan.Time(
        generation: generation, appTag: call.app.tag, second: second,
        lifetime: message.dependsOnTime ? 1 : Limits.renderPlanSeconds))
    plans[key] = plan
    return plan
  }

  /// Forgets the plan that was not used for the longest time, if there are too many.
  /// - Returns: `false` when all of them are in use.
  private func makeRoom(for key: Key, at second: Int64) -> Bool {
    guard plans[key] == nil, plans.count >= Limits.renderPlans else { return true }
    guard let oldest = plans.min(by: { $0.value.lastUse < $1.value.lastUse }),
      oldest.value.lastUse < second
    else { return false }
    plans[oldest.key] = nil
    return true
  }

  /// Notes a frame.
  /// - Returns: Whether it came so often that others like it may be expected.
  private func isFrequent(_ key: Key, at second: Int64) -> Bool {
    let hash = key.hashValue
    let place = Int(UInt(bitPattern: hash) % UInt(sightings.count))
    if sightings[place].hash != hash || sightings[place].second != second {
      sightings[place] = Sightings(hash: hash, second: second)
    }
    sightings[place].count += 1
    return sightings[place].count >= Limits.sightingsOfFrame
  }
}

/// How bodies of one frame are rendered.
private final class RenderPlan {
  /// When it was made, and of what.
  struct Time {
    /// That of catalogs and messages.
    let generation: UInt64
    let appTag: Int64
    let second: Int64
    /// Seconds.
    let lifetime: Int64
  }

  let recipients: RecipientPlan
  let catalogs: RenderCatalogs
  /// Reads the arguments; `nil` when no body of this frame can be rendered by patterns.
  let reader: QuickLineReader?
  let aspects: DeviceAspects
  /// The second in which it was used.
  var lastUse: Int64
  private let made: Time
  private var traits: [RawColumns: PreparedTraits] = [:]
  private var traitBytes = 0
  private let budget = PatternBudget(
    patterns: Limits.planPatterns, bytes: Limits.planPatternBytes)

  init(_ recipients: RecipientPlan, _ catalogs: RenderCatalogs, made: Time) {
    self.recipients = recipients
    self.catalogs = catalogs
    self.made = made
    lastUse = made.second
    aspects = recipients.aspects
    reader = recipients.attributes.isEmpty ? recipients.quickReader : nil
  }

  /// Whether a call may use it: nothing that it was made of has changed.
  func isValid(for call: Call, at second: Int64) -> Bool {
    made.appTag == call.app.tag && isCurrent(for: call, at: second)
  }

  /// The same, as far as a call of another app can tell.
  func isCurrent(for call: Call, at second: Int64) -> Bool {
    made.generation == call.context.content.generation
      && (made.second..<made.second + made.lifetime).contains(second)
  }

  /// What rendering must know of a device, made once for all devices of the same traits; `nil` when
  /// that is not known and no more can be remembered.
  func traits(of row: AudienceRow) async throws -> PreparedTraits? {
    if let known = traits[row.traits] { return known }
    guard traitBytes < Limits.planTraitBytes, budget.hasRoom, !catalogs.areFull else { return nil }
    let prepared = try await PreparedTraits(row.traits, catalogs)
    if let known = traits[row.traits] { return known }
    traitBytes += row.traits.byteCount
    traits[row.traits] = prepared
    return prepared
  }

  /// The pattern of a line, made once for all devices of the same traits.
  func pattern(
    _ key: PatternMemory.Key, _ body: QuickBody, _ quick: QuickLine, _ traits: PreparedTraits,
    _ device: Device, _ environment: Environment
  ) -> PatternMemory.Outcome {
    if let known = traits.patterns[key] { return known }
    guard budget.hasRoom, traits.patterns.count < Limits.planPatternsOfTraits else { return .none }
    let outcome = recipients.pattern(
      for: quick, body.recipientLine[...], device, traits.catalogs, environment)
    traits.patterns[key] = outcome
    budget.take(outcome, of: key)
    return outcome
  }
}
