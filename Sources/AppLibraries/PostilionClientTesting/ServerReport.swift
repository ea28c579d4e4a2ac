import Foundation
import PostilionClient

/// A report as the server reads it: what it changes, what was left out, and why it is refused.
struct ServerReport {
  /// Profile fields with their new values; null clears one.
  var fields: [String: PayloadValue] = [:]
  /// Tags that come and go, and leave the others.
  private var tagChange: (added: [PayloadValue], removed: [PayloadValue])?
  /// What it says of tokens.
  private(set) var credentials = ServerCredentials([:])
  /// The person; null signs out, `nil` says nothing.
  var user: PayloadValue?
  /// The proof of the person.
  var proof: String?
  /// When it was so, by the device's clock.
  var reportedAt: Date?
  /// The system of the device; `nil` says nothing.
  var platform: String?
  /// The environment of the tokens; `nil` says nothing.
  var environment: String?
  /// What was left out.
  private(set) var ignored: [ServerFault] = []
  /// Why it is refused; it then changes nothing.
  private(set) var faults: [ServerFault] = []

  /// Reads a report.
  init(_ body: PayloadValue) {
    for (name, value) in (body.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      read(value, name)
    }
  }

  private mutating func read(_ value: PayloadValue, _ name: String) {
    let pointer = "/\(name)"
    switch name {
    case "platform": platform = word(value, of: ProfileRule.platforms, at: pointer)
    case "environment": environment = word(value, of: ["production", "sandbox"], at: pointer)
    case "credentials":
      credentials = ServerCredentials(value)
      ignored += credentials.ignored
      faults += credentials.faults
    case "bundle_id": readBundleID(value)
    case "tag_changes": readTagChange(value)
    case "user": readUser(value)
    case "reported_at":
      guard value != .null else { return }
      guard let text = value.string else { return refuse(pointer, "wrong_type") }
      reportedAt = ServerTime.date(text)
      if reportedAt == nil { refuse(pointer, "invalid_timestamp") }
    default:
      guard let rule = ProfileRule.all[name] else {
        ignored.append(ServerFault(pointer, "unknown_field"))
        return
      }
      if let kept = rule.read(value, at: pointer, &ignored) { fields[name] = kept }
    }
  }

  private mutating func readTagChange(_ change: PayloadValue) {
    guard let members = change.object else {
      if change != .null { ignored.append(ServerFault("/tag_changes", "wrong_type")) }
      return
    }
    for name in members.keys.sorted() where !["add", "remove"].contains(name) {
      ignored.append(ServerFault("/tag_changes/\(name)", "unknown_field"))
    }
    func list(_ name: String) -> [PayloadValue] {
      let list = change[name].flatMap {
        ProfileRule.all["tags"]?.read($0, at: "/tag_changes/\(name)", &ignored)
      }
      return list?.array ?? []
    }
    let removed = list("remove")
    tagChange = (list("add").filter { !removed.contains($0) }, removed)
  }

  /// Puts what tags and attributes become in place of their changes, unless it is too much: tags,
  /// and the attributes of a `PATCH`, change by name.
  mutating func resolve(over stored: [String: PayloadValue], isPatch: Bool) {
    if let (added, removed) = tagChange {
      let kept = ((fields["tags"] ?? stored["tags"])?.array ?? []).filter { !removed.contains($0) }
      let tags = kept + added.filter { !kept.contains($0) }
      if tags.count <= 60 {
        fields["tags"] = .array(tags)
      } else {
        ignored.append(ServerFault("/tag_changes/add", "too_many"))
      }
    }
    guard isPatch, let changes = fields["attributes"]?.object else { return }
    var members = stored["attributes"]?.object ?? [:]
    for (name, value) in changes {
      // Null is a value, and no name is left.
      if value == .null { members.removeValue(forKey: name) } else { members[name] = value }
    }
    let merged = PayloadValue.object(members)
    if members.count <= 64, merged.encoded().count <= 4096 {
      fields["attributes"] = merged
    } else {
      fields["attributes"] = nil
      ignored.append(ServerFault("/attributes", "too_many"))
    }
  }

  /// Leaves the person out, whom the server does not take.
  mutating func leaveOutUser(_ code: String) {
    user = nil
    ignored.append(ServerFault("/user", code))
  }

  private mutating func refuse(_ pointer: String, _ code: String) {
    faults.append(ServerFault(pointer, code))
  }

  private mutating func word(
    _ value: PayloadValue, of words: Set<String>, at pointer: String
  ) -> String? {
    guard let text = value.string else {
      refuse(pointer, "wrong_type")
      return nil
    }
    if !words.contains(text) { refuse(pointer, "unknown_value") }
    return text
  }

  private mutating func readBundleID(_ value: PayloadValue) {
    if value != .null {
      guard let text = value.string else { return refuse("/bundle_id", "wrong_type") }
      if text.isEmpty { refuse("/bundle_id", "too_short") }
      if text.utf8.count > 155 { refuse("/bundle_id", "too_long") }
    }
    fields["bundle_id"] = value
  }

  private mutating func readUser(_ value: PayloadValue) {
    if value == .null {
      user = .null
      return
    }
    guard let members = value.object else { return refuse("/user", "wrong_type") }
    guard let id = members["id"] else { return refuse("/user/id", "missing_field") }
    proof = members["token"]?.string
    if id == .null {
      user = .null
      return
    }
    guard let text = id.string else { return refuse("/user/id", "wrong_type") }
    if text.isEmpty {
      refuse("/user/id", "too_short")
    } else if text.utf8.count > 256 {
      refuse("/user/id", "too_long")
    } else {
      user = .string(text)
    }
  }
}
