import AppTesting

@testable import Registry

/// Plays history from its first event on: every event must follow from the ones before it, and
/// where it ends is what the tables must say.
struct TokenReplay {
  struct Held: Hashable, CustomStringConvertible {
    var installation: String
    var environment: String
    var kind: String
    var token: String
    var status: String

    var description: String { "\(installation) \(environment)/\(kind)/\(token) \(status)" }
  }

  private struct Key: Hashable {
    var environment: String
    var kind: String
    var token: String
  }
  private struct Place: Hashable {
    var installation: String
    var kind: String
  }

  private var holders: [Key: Held] = [:]
  private var places: [Place: Key] = [:]
  /// From whom a token was taken last, by kind: `moved production/apns/…`.
  private var losses: [Place: String] = [:]
  /// What does not follow.
  private(set) var contradictions: [String] = []
  private(set) var count = 0

  /// Reads all events of a database in their order.
  init(_ database: ScratchDatabase) async throws {
    let rows = try await database.query(
      """
      SELECT event, environment, kind, encode(token, 'hex'), installation_id,
        from_installation_id FROM token_history ORDER BY id
      """)
    for row in rows {
      guard row.count == 6, let event = row[0], let environment = row[1], let kind = row[2],
        let token = row[3], let installation = row[4]
      else { continue }
      let key = Key(environment: environment, kind: kind, token: token)
      if let reason = play(event, key, installation, from: row[5]) {
        contradictions.append("\(event) \(environment)/\(kind)/\(token) \(installation): \(reason)")
      }
      count += 1
    }
  }

  /// Every token that someone has in the end.
  var held: Set<Held> { Set(holders.values) }

  /// Whether an installation lost its token of a kind to another one, and nothing happened to its
  /// tokens of that kind since.
  func lost(_ token: String, _ environment: String, _ kind: String, by installation: String) -> Bool
  {
    losses[Place(installation: installation, kind: kind)] == "\(environment)/\(token)"
  }

  /// - Returns: Why it does not follow.
  private mutating func play(
    _ event: String, _ key: Key, _ installation: String, from former: String?
  ) -> String? {
    let held = holders[key]
    let place = Place(installation: installation, kind: key.kind)
    switch event {
    case "registered", "rotated", "moved":
      guard held?.installation == former else { return "held by \(held?.installation ?? "no one")" }
      if let former {
        let left = Place(installation: former, kind: key.kind)
        places[left] = nil
        losses[left] = "\(key.environment)/\(key.token)"
      }
      guard (event == "moved") == (former != nil) else { return "moves and says it does not" }
      guard places[place] == nil else { return "has another of this kind" }
      places[place] = key
      losses[place] = nil
      holders[key] = Held(
        installation: installation, environment: key.environment, kind: key.kind,
        token: key.token, status: "active")
    case "replaced", "removed":
      guard held?.installation == installation else {
        return "held by \(held?.installation ?? "no one")"
      }
      holders[key] = nil
      places[place] = nil
    case "revived", "restored", "invalidated", "quarantined":
      let status = ["invalidated": "invalid", "quarantined": "quarantined"][event] ?? "active"
      guard held?.installation == installation else {
        return "held by \(held?.installation ?? "no one")"
      }
      guard held?.status != status else { return "is \(status) already" }
      holders[key]?.status = status
    default: return "is unknown"
    }
    return nil
  }
}
