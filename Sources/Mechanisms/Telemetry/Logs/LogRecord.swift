/// How much an operator should care; the later ones matter more.
public enum LogLevel: Sendable, Comparable, CaseIterable {
  /// For a person who works on the service.
  case debug
  /// The life of the service: started, migrated, stopped.
  case info
  /// The service goes on, but somebody should look.
  case warning
  /// Something that was asked for did not happen.
  case error

  /// The name in a log line.
  public var name: String { "\(self)" }

  /// The level of that name; `nil` when there is none.
  public init?(name: some StringProtocol) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}

/// The value of a field in a log line.
public enum LogValue: Sendable, Hashable {
  /// Text of any kind; it is escaped when written.
  case string(String)
  case integer(Int)
  case bool(Bool)
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// One thing that happened: a level, a constant name, and the values that vary, in fields.
///
/// ```swift
/// LogRecord(.info, "listening", ["address": .string(address), "loops": .integer(2)])
/// ```
public struct LogRecord: Sendable, Hashable {
  /// A named value of a record.
  public struct Field: Sendable, Hashable {
    /// Lower-case words joined by underscores; units last, such as `duration_ms`.
    public let key: String
    public let value: LogValue
  }

  /// What becomes of a record that repeats.
  public enum Repetition: Sendable {
    /// By a logger whose callers never wait, it is written once, then counted each minute.
    case counted
    /// Each record is written, as nothing else tells of it: the record of a call, or of a step of a
    /// bounded work.
    case written
  }

  public let level: LogLevel
  /// What happened, as a name that one can search for.
  public let event: String
  /// The values that vary, in the order in which they are written.
  public let fields: [Field]
  /// What becomes of it when it repeats.
  public let repetition: Repetition

  /// A record; the event is a constant so that no outside text gets into it. The keys `time`,
  /// `level` and `event` are taken.
  public init(
    _ level: LogLevel, _ event: StaticString, _ fields: KeyValuePairs<String, LogValue> = [:],
    repetition: Repetition = .counted
  ) {
    self.init(level, event, fields: fields.map { ($0, $1) }, repetition: repetition)
  }

  /// A record whose fields are put together at run time.
  public init(
    _ level: LogLevel, _ event: StaticString, fields: [(String, LogValue)],
    repetition: Repetition = .counted
  ) {
    self.init(
      level, event.description, fields.map { Field(key: $0, value: $1) }, repetition: repetition)
  }

  private init(
    _ level: LogLevel, _ event: String, _ fields: [Field], repetition: Repetition
  ) {
    self.level = level
    self.event = event
    self.fields = fields
    self.repetition = repetition
  }

  /// What all records of a run have in common. Numbers vary, and so do these: an attacker has many
  /// addresses, and a webhook many deliveries.
  var subject: LogRecord {
    let shared = fields.filter { field in
      if case .integer = field.value { return false }
      return !["client", "delivery_id"].contains(field.key)
    }
    return LogRecord(level, event, shared, repetition: .written)
  }

  /// The record that stands for all records of an event beyond the bound of its runs.
  var beyondBound: LogRecord {
    LogRecord(level, event, [Field(key: "others", value: true)], repetition: .written)
  }

  func with(_ more: KeyValuePairs<String, LogValue>) -> LogRecord {
    LogRecord(
      level, event, fields + more.map { Field(key: $0, value: $1) }, repetition: repetition)
  }
}
