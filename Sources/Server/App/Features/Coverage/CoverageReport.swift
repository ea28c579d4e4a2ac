internal import Content
internal import JSON
internal import Localization
internal import Postgres
internal import Registry
internal import Rendering

/// Which keys each localization of a catalog lacks, and how many devices use it.
struct CoverageReport: JSONWritable, Sendable {
  private let version: String
  private let catalog: Catalog
  private let countedAt: Timestamp
  /// The localization for people whose languages the catalog lacks.
  private let substitute: String?
  private var devices = 0
  /// Builds of the app that have no catalog at all.
  private let buildsWithoutCatalog: [SeenBuild]
  /// Messages that lack a text.
  private(set) var messages: MessageCoverage
  /// The number of devices by the localization that their bundle picks.
  private var served: [String: Int] = [:]
  /// Devices for which nothing matches.
  private var unservedDevices = 0
  /// The devices for which nothing matches, by their first language, for the most wanted languages.
  private(set) var unserved: [String: Int] = [:]

  init(
    of catalog: Catalog, version: String, countedAt: Timestamp,
    buildsWithoutCatalog: [SeenBuild] = [], messages: MessageCoverage? = nil
  ) {
    self.messages =
      messages ?? MessageCoverage([], in: catalog, version: version, server: nil)
    self.catalog = catalog
    self.countedAt = countedAt
    self.version = version
    self.buildsWithoutCatalog = buildsWithoutCatalog
    substitute = catalog.chain(for: []).first
  }

  /// Counts devices with the same list of languages. `chain` has the bundle's localizations for it.
  /// - Parameter server: The server's catalog as devices with this list see it.
  mutating func add(
    _ preferred: [LanguageTag], chain: [String], server: CatalogView? = nil, devices count: Int
  ) {
    devices += count
    messages.add(
      preferred, DeviceCatalogs(app: CatalogView(catalog, chain: chain), server: server),
      devices: count)
    guard let picked = chain.first else { return }
    served[picked, default: 0] += count
    // The chain does not tell a match from a substitute.
    guard picked == substitute, let first = preferred.first,
      LanguageMatcher.localizations(preferred: preferred, available: catalog.languages).isEmpty
    else { return }
    unservedDevices += count
    unserved[first.withoutRegion, default: 0] += count
    // Anyone can register with invented languages, so languages that few devices want are dropped
    // first.
    guard unserved.count > Limits.coverageCounted else { return }
    let most = mostWanted.prefix(Limits.coverageCounted / 2).map { ($0.key, $0.value) }
    unserved = Dictionary(uniqueKeysWithValues: most)
  }

  private var mostWanted: [(key: String, value: Int)] {
    unserved.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
  }

  /// One localization.
  private struct Row {
    let language: String
    let devices: Int
    let keys: Int
    let missing: Int

    /// Localizations come first if they lack many texts for many people, then if many people use
    /// them.
    func isBefore(_ other: Row) -> Bool {
      (other.devices * other.missing, other.devices, language)
        < (devices * missing, devices, other.language)
    }
  }

  func write(to writer: inout JSONWriter) {
    let all = catalog.keyCount + messages.absent.count
    let rows = catalog.languages.map { language in
      let keys = catalog.keyCount(in: language)
      return Row(
        language: language, devices: served[language] ?? 0, keys: keys, missing: all - keys)
    }
    writer.object { writer in
      writer.member("version", version)
      writer.member("keys", all)
      writer.member("devices", devices)
      writer.key("languages")
      writer.array(rows.sorted { $0.isBefore($1) }, write)
      writer.key("messages")
      messages.write(to: &writer)
      writer.member("unserved_devices", unservedDevices)
      writer.key("unserved")
      writer.array(mostWanted.prefix(Limits.coverageUnserved)) { writer, row in
        writer.object { writer in
          writer.member("language", row.key)
          writer.member("devices", row.value)
        }
      }
      writer.member("builds_without_catalog", buildsWithoutCatalog)
      writer.member("counted_at", countedAt.rfc3339)
    }
  }

  private func write(_ writer: inout JSONWriter, _ row: Row) {
    let missing =
      messages.absent + catalog.missingKeys(in: row.language, maximum: Limits.coverageKeys)
    writer.object { writer in
      writer.member("language", row.language)
      writer.member("devices", row.devices)
      writer.member("keys", row.keys)
      writer.member("missing", row.missing)
      writer.key("missing_keys")
      writer.array(missing.sorted().prefix(Limits.coverageKeys)) { $1.write(to: &$0) }
    }
  }
}

extension LanguageTag {
  /// The language, perhaps with a script: `ka-GE` → `ka`, `zh_Hant_HK` → `zh-Hant`. Devices name
  /// their region with each language, and no translation is missing because of a region.
  fileprivate var withoutRegion: String {
    let parts = text.split { !$0.isLetter && !$0.isNumber }
    let script = parts.dropFirst().prefix(1).filter { $0.count == 4 && $0.allSatisfy(\.isLetter) }
    return (parts.prefix(1) + script).joined(separator: "-")
  }
}
