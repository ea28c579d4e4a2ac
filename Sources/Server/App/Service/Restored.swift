internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

extension Service {
  /// Tells the database that it was restored: begins another life of it, so that no cursor, place
  /// of a webhook or claim code from before counts.
  /// - Returns: Lines for the operator. Keys that were revoked after the backup work again, and
  ///   only people know which keys they are. So all keys in use are listed.
  public func restored() async throws -> [String] {
    try await withoutServing { [shared] context in
      try await ChangeReader(context).beginLife(.restored)
      try await shared.directory.load(context.database)
      return [
        "A new life of the database has begun: cursors and claim codes from before are void, and",
        "webhooks are told changes_gone.",
        "Keys that were revoked after the backup work again. Revoke them once more; in use are:",
      ] + shared.directory.snapshot.keyLines
    }
  }
}

extension Directory.Snapshot {
  /// The keys in use, root keys first, then by app and age:
  /// `2026-11-26T19:00:00.000Z food admin 5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee "ci"`.
  fileprivate var keyLines: [String] {
    let names = Dictionary(apps.values.map { ($0.id, $0.slug.text) }) { $1 }
    let lines = keys.values.map { key in
      let app = key.appID.map { names[$0] ?? "(deleted)" } ?? "-"
      return (
        app, key.createdAt,
        "\(key.createdAt.rfc3339) \(app) \(key.kind.rawValue) \(key.id.text) "
          + JSONValue.string(key.label).jsonText
      )
    }
    return lines.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { $0.2 }
  }
}
