internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// How many failures there were, by what the caller wants them grouped by.
enum FailureSummary {
  static let endpoint = Endpoint(
    .get, "/v1/apps/{app}/failures/summary", "summarizeFailures", .admin,
    decode: summary,
    perform: { summary, call in
      (summary, try await call.context.database.readApart(summary))
    },
    encode: { answer, _ in .json(Answer(summary: answer.0, groups: answer.1)) })

  private static func summary(_ request: Request) throws -> SummarizeFailures {
    var query = try QueryReader(request)
    let names = FailureDimension.allCases.map(\.rawValue)
    let dimensions = query.parsed(
      "group_by", .unknownValue, "group_by lists some of \(names.joined(separator: ", "))."
    ) { text in
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let dimensions = words.compactMap { FailureDimension(rawValue: String($0)) }
      return dimensions.count == words.count ? Set(dimensions) : nil
    }
    let filter = FailureFilter(&query, appID: request.app.id)
    try query.finish()
    return SummarizeFailures(filter: filter, dimensions: dimensions ?? [.code])
  }

  private struct Answer: Encodable {
    var summary: SummarizeFailures
    var groups: [FailureGroup]

    private enum CodingKeys: String, CodingKey {
      case items, truncated
      case groupBy = "group_by"
    }

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: CodingKeys.self)
      let dimensions = summary.dimensions
      try fields.encode(dimensions.map(\.rawValue), forKey: .groupBy)
      try fields.encode(
        groups.prefix(Limits.failureGroups).map {
          FailureGroupView(group: $0, dimensions: dimensions)
        }, forKey: .items)
      try fields.encode(groups.count > Limits.failureGroups, forKey: .truncated)
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
    parameters.append(dimensions.map(\.rawValue))
    parameters.append(Int64(Limits.failureGroups + 1))
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

/// A group as the summary shows it.
private struct FailureGroupView: Encodable {
  var group: FailureGroup
  var dimensions: [FailureDimension]

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Name.self)
    let code = group.values[.code].flatMap { Int64($0) }
    for dimension in dimensions {
      let name = Name(dimension.rawValue)
      if dimension == .code {
        try fields.encode(code, forKey: name)
      } else {
        try fields.encode(group.values[dimension], forKey: name)
      }
    }
    try fields.encode(group.count, forKey: Name("count"))
    try fields.encode(group.installations, forKey: Name("installations"))
    try fields.encode(group.first.rfc3339, forKey: Name("first_occurred_at"))
    try fields.encode(group.last.rfc3339, forKey: Name("last_occurred_at"))
    guard let domain = group.values[.domain], let code else { return }
    let explanation = FailureExplanation(domain: domain, code: code)
    try fields.encodeIfPresent(explanation, forKey: Name("explanation"))
  }
}
