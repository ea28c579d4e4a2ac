internal import Content
internal import DeviceProfile
internal import JSON
internal import Postgres
internal import Registry

/// The counts of `GET …/stats` as they are shown.
struct StatsView: JSONWritable, Sendable {
  var installations: [ValueCount]
  var created: [(day: Timestamp, count: Int64)]
  var failed: [(day: Timestamp, count: Int64)]
  var events: [(day: Timestamp, event: CountedTokenEvent, count: Int64)]
  var breakers: [(environment: Environment, openedAt: Timestamp)]
  var buildsWithoutCatalog: [SeenBuild]
  /// The version of the app's last upload.
  var latestCatalog: String?
  var quotas: [(quota: AppUsage.Quota, used: Int, limit: Int)]
  /// The days that are shown, oldest first.
  var days: [Timestamp]
  var countedAt: Timestamp

  /// The last days up to a time, each as its beginning in UTC.
  static func days(_ count: Int, until now: Timestamp) -> [Timestamp] {
    let length: Int64 = 86_400_000_000
    let today = now.microseconds / length
    return (0..<Int64(count)).reversed().map { Timestamp(microseconds: (today - $0) * length) }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("total", counts(.platform).reduce(0) { $0 + $1.count })
      let tokens = tokens
      writer.member("status", tokens)
      writer.key("credential")
      writer.object { writer in
        for kind in CredentialKind.allCases { writer.member(kind.rawValue, tokens[kind]) }
      }
      write(.platform, of: Platform.self, to: &writer)
      write(.environment, of: Environment.self, to: &writer)
      for dimension in [StatsDimension.language, .appVersion, .osVersion] {
        writeTop(dimension, to: &writer)
      }
      writeDays("registrations", created, to: &writer)
      writeDays("rotations", days(of: .rotated), to: &writer)
      writeDays("invalidations", days(of: .refused), to: &writer)
      writeDays("failures", failed, to: &writer)
      writer.key("breakers")
      writer.array(breakers) { writer, breaker in
        writer.object { writer in
          writer.member("environment", breaker.environment.rawValue)
          writer.member("opened_at", breaker.openedAt.rfc3339)
        }
      }
      writer.member("builds_without_catalog", buildsWithoutCatalog)
      writer.member("latest_catalog", latestCatalog)
      writer.key("quotas")
      writer.object { writer in
        for (quota, used, limit) in quotas {
          writer.key(quota.rawValue)
          writer.object { writer in
            writer.member("used", used)
            writer.member("limit", limit)
          }
        }
      }
      writer.member("counted_at", countedAt.rfc3339)
    }
  }

  private func counts(_ dimension: StatsDimension) -> [ValueCount] {
    installations.filter { $0.dimension == dimension }
  }

  /// Tokens have fewer words than a dimension has values that are counted one by one.
  private var tokens: TokenCounts {
    counts(.token).reduce(into: TokenCounts()) { $0.add($1.value ?? "", of: $1.count) }
  }

  /// Writes a dimension of few words, also words that no installation has.
  private func write<Word: RawRepresentable<String> & CaseIterable>(
    _ dimension: StatsDimension, of type: Word.Type, to writer: inout JSONWriter
  ) {
    let counts = counts(dimension)
    writer.key(dimension.rawValue)
    writer.object { writer in
      for word in Word.allCases {
        writer.member(word.rawValue, counts.first { $0.value == word.rawValue }?.count ?? 0)
      }
    }
  }

  /// Writes a dimension of many values: the most frequent values, and the count of all others.
  private func writeTop(_ dimension: StatsDimension, to writer: inout JSONWriter) {
    let counts = counts(dimension)
    let top = counts.filter { !$0.isRest }.sorted {
      ($1.count, $0.value ?? "") < ($0.count, $1.value ?? "")
    }
    writer.key(dimension.rawValue)
    writer.object { writer in
      writer.key("top")
      writer.array(top) { writer, item in
        writer.object { writer in
          writer.member("value", item.value)
          writer.member("count", item.count)
        }
      }
      writer.member("other", counts.first(where: \.isRest)?.count ?? 0)
    }
  }

  private func days(of event: CountedTokenEvent) -> [(day: Timestamp, count: Int64)] {
    events.filter { $0.event == event }.map { ($0.day, $0.count) }
  }

  /// Writes a count for every day.
  private func writeDays(
    _ name: String, _ counts: [(day: Timestamp, count: Int64)], to writer: inout JSONWriter
  ) {
    let counts = Dictionary(counts.map { ($0.day, $0.count) }, uniquingKeysWith: +)
    writer.key(name)
    writer.array(days) { writer, day in
      writer.object { writer in
        writer.member("day", String(day.rfc3339.prefix(10)))
        writer.member("count", counts[day] ?? 0)
      }
    }
  }
}
