internal import ASCII
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Counts failures, grouped by the dimensions that the caller names.
enum FailureSummary {
  static let endpoint = Endpoint(
    .get, "/v1/apps/{app}/failures/summary", "summarizeFailures", .admin, isLong: true,
    decode: summary,
    perform: { summary, call in
      Answer(
        dimensions: summary.dimensions,
        groups: try await call.context.readBehind {
          try await $0.readApart(
            .summarizeFailures(summary.filter, by: summary.dimensions), for: call.holder)
        })
    },
    encode: { answer, _ in .json(answer) })

  /// A code means nothing without its domain, which therefore comes with it.
  private static func summary(
    _ request: Request, _ query: inout QueryReader
  ) -> (filter: FailureFilter, dimensions: [FailureDimension]) {
    let names = FailureDimension.allCases.map(\.rawValue)
    let given: Set<FailureDimension>? = query.parsed(
      "group_by", .unknownValue, "group_by lists some of \(names.joined(separator: ", "))."
    ) { text in
      let words = text.parts(between: ",", keepsEmpty: true)
      let dimensions = words.compactMap(FailureDimension.init(spelled:))
      return dimensions.count == words.count ? Set(dimensions) : nil
    }
    var dimensions = given ?? [.code]
    if dimensions.contains(.code) { dimensions.insert(.domain) }
    return (
      FailureFilter(&query, appID: request.app.id),
      FailureDimension.allCases.filter(dimensions.contains)
    )
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

/// The dimensions by which failures can be counted.
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

  /// The SQL of its value in a row, as text.
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
  /// The values that the failures share; `nil` if they have none, or if the caller did not ask for
  /// the dimension.
  var values: [FailureDimension: String]
  var count: Int64
  var installations: Int64
  var first: Timestamp
  var last: Timestamp
}

extension Command where Self == Query<FailureGroup> {
  /// The largest groups of failures, one more than are shown.
  static func summarizeFailures(
    _ filter: FailureFilter, by dimensions: [FailureDimension]
  ) -> Self {
    let names = dimensions.map(\.rawValue)
    let columns = FailureDimension.allCases.map { dimension -> SQL in
      """
      CASE WHEN '\(constant: dimension.rawValue)' = ANY (\(names))
        THEN \(constant: dimension.expression) END
      """
    }
    let numbers = FailureDimension.allCases.indices.map { "\($0 + 1)" }.joined(separator: ", ")
    return Query(
      """
      SELECT \(columns.joined(separator: ", ")), count(*), count(DISTINCT installation_id),
        min(occurred_at), max(occurred_at)
      FROM registration_failure
      WHERE \(filter.condition)
      GROUP BY \(constant: numbers) ORDER BY count(*) DESC, \(constant: numbers)
      LIMIT \(Int64(Limits.failureGroups + 1))
      """
    ) { row in
      var values: [FailureDimension: String] = [:]
      for dimension in FailureDimension.allCases {
        values[dimension] = try row.next(String?.self)
      }
      return FailureGroup(
        values: values, count: try row.next(), installations: try row.next(),
        first: try row.next(), last: try row.next())
    }
  }
}

extension FailureGroup {
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
