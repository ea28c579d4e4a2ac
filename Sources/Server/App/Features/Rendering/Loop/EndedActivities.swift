internal import DeviceProfile
internal import Postgres
internal import Registry
internal import Rendering

/// The Live Activities for which an `end` was rendered. APNs answers 200 for their tokens for ever,
/// so Postilion takes these out of use by itself, until the app brings them again. Another `end`
/// still goes to them. A request for an explanation sends nothing, so it ends nothing.
struct EndedActivities: Sendable {
  /// Whether requests end activities.
  let isEnd: Bool
  private var tokens: [InstallationID: [TokenKey]] = [:]

  init(_ target: CredentialTarget, _ settings: RenderSettings) {
    isEnd = target.isEnd && !settings.options.explain
  }

  /// Notes a device that gets a request.
  mutating func add(_ row: AudienceRow) {
    guard isEnd, let token = row.token.flatMap({ DeviceToken(bytes: $0.bytes) }) else { return }
    tokens[InstallationID(row.installationID), default: []].append(
      TokenKey(environment: row.environment, kind: .liveActivities, token: token))
  }

  /// Forgets the noted tokens.
  mutating func forget() { tokens = [:] }

  /// Takes the noted tokens out of use.
  func end(in context: LoopContext, of app: AppRecord) async throws {
    guard !tokens.isEmpty else { return }
    let (tokens, now) = (tokens, context.shared.clock().wholeMilliseconds)
    let ids = Array(tokens.keys)
    for first in stride(from: 0, to: ids.count, by: Limits.endedTogether) {
      _ = try await context.registrar.revise(
        Array(ids[first...].prefix(Limits.endedTogether)), of: app.id, at: now, .init(.backend)
      ) { stored in
        Self.ended(stored, tokens[stored.id, default: []], at: now)
      }
    }
  }

  private static func ended(
    _ stored: Installation, _ keys: [TokenKey], at now: Timestamp
  ) -> Registrar.RevisionAction {
    let places = keys.flatMap(stored.places).filter { stored.credentials[$0]?.status == .active }
    guard !places.isEmpty else { return .keep }
    return .write(
      stored.revised(at: now) { next in
        for place in places {
          next.credentials[place]?.takeOutOfUse(as: .invalid, reason: Credential.endReason, at: now)
        }
      })
  }
}
