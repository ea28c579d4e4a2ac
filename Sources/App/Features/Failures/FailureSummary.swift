internal import ASCII
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// How many failures there were, by what the caller wants them grouped by.
enum FailureSummary {
  static let endpoint = Endpoint(
    .get, "/v1/apps/{app}/failures/summary", "summarizeFailures", .admin, isLong: true,
    decode: summary,
    perform: { summary, call in
      Answer(
        dimensions: summary.dimensions,
        groups: try await call.context.readBehind {
          try await $0.readApart(summary, for: call.holder)
        })
    },
    encode: { answer, _ in .json(answer) })

  private static func summary(
    _ request: Request, _ query: inout QueryReader
  ) -> SummarizeFailures {
    let names = FailureDimension.allCases.map(\.rawValue)
    let dimensions = query.parsed(
      "group_by", .unknownValue, "group_by lists some of \(names.joined(separator: ", "))."
    ) { text in
      let words = text.parts(between: ",", keepsEmpty: true)
      let dimensions = words.compactMap(FailureDimension.init(spelled:))
      return dimensions.count == words.count ? Set(dimensions) : nil
    }
    let filter = FailureFilter(&query, appID: request.app.id)
    return SummarizeFailures(filter: filter, dimensions: dimensions ?? [.code])
  }

  private struct Answer: JSONWritable {
    let dimensions: [FailureDimension]
    let groups: [FailureGroup]

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("group_by", dimensions.map(\.rawValue))
        writer.member("items", groups.prefix(Limits.failureGroups).map { $0.jsonValue(dimensions) })
        writer.member("truncated", groups.count > Limits.failureGroups)
      }
    }
  }
}

/// What failures can be counted by.
enum FailureDimension: String, Sendable, CaseIterable {
  case kind
  case domain
  case code
  case appVersion = "app_version"
  case osVersion = "os_version"
  case platform
  case environment
  /// The day on which it occurred, in UTC.
  case day

  /// What it is of a row, as text.
  fileprivate var expression: String {
    switch self {
    case .code: "code::text"
    case .day: "to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    default: rawValue
    }
  }
}

/// Failures that are alike in some dimensions.
struct FailureGroup: Sendable {
  /// What they are alike in; `nil` where they say nothing, or where nobody asked.
  var values: [FailureDimension: String]
  var count: Int64
  var installations: Int64
  var first: Timestamp
  var last: Timestamp
}

/// The largest groups of failures, one more than are shown.
struct SummarizeFailures: Statement {
  static let isPlannedEachTime = true
  static let sql = """
    SELECT \(columns), count(*), count(DISTINCT installation_id), min(occurred_at), max(occurred_at)
    FROM registration_failure
    WHERE \(FailureFilter.sql)
    GROUP BY \(numbers) ORDER BY count(*) DESC, \(numbers) LIMIT $11
    """
  private static let columns = FailureDimension.allCases.map { dimension in
    "CASE WHEN '\(dimension.rawValue)' = ANY ($10) THEN \(dimension.expression) END"
  }.joined(separator: ", ")
  private static let numbers = FailureDimension.allCases.indices.map { "\($0 + 1)" }
    .joined(separator: ", ")

  let filter: FailureFilter
  /// In the order of their declaration.
  let dimensions: [FailureDimension]

  /// A code means nothing without its domain, which therefore comes with it.
  init(filter: FailureFilter, dimensions: Set<FailureDimension>) {
    self.filter = filter
    let all = dimensions.contains(.code) ? dimensions.union([.domain]) : dimensions
    self.dimensions = FailureDimension.allCases.filter(all.contains)
  }

  func bind(to parameters: inout Parameters) {
    filter.bind(to: &parameters)
    parameters.append(dimensions.map(\.rawValue), Int64(Limits.failureGroups + 1))
  }

  static func decode(_ row: inout RowReader) throws(PostgresError) -> FailureGroup {
    var values: [FailureDimension: String] = [:]
    for dimension in FailureDimension.allCases {
      values[dimension] = try row.nextOptional(String.self)
    }
    return FailureGroup(
      values: values, count: try row.next(), installations: try row.next(),
      first: try row.next(), last: try row.next())
  }
}

extension FailureGroup {
  /// The group as the summary shows it.
  fileprivate func jsonValue(_ dimensions: [FailureDimension]) -> JSONValue {
    var members: JSONObject = [
      "count": .integer(count), "installations": .integer(installations),
      "first_occurred_at": .string(first.rfc3339), "last_occurred_at": .string(last.rfc3339),
    ]
    for dimension in dimensions {
      members[dimension.rawValue] = values[dimension].map(JSONValue.string) ?? .null
    }
    if let domain = values[.domain], let code = values[.code].flatMap({ Int64($0) }) {
      members["code"] = .integer(code)
      members["explanation"] = FailureExplanation(domain: domain, code: code)?.jsonValue
    }
    return .object(members)
  }
}
