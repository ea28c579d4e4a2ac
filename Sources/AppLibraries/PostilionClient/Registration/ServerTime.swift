import Foundation

/// Times as the HTTP contract writes them: RFC 3339 in UTC, with milliseconds.
package enum ServerTime {
  /// `2026-05-02T19:32:41.250Z`
  package static func text(_ date: Date) -> String {
    formatter().string(from: date)
  }

  /// Reads a time with or without a fraction; `nil` for anything else.
  package static func date(_ text: String) -> Date? {
    let formatter = formatter()
    if let date = formatter.date(from: text) { return date }
    formatter.formatOptions = [.withInternetDateTime]
    return formatter.date(from: text)
  }

  private static func formatter() -> ISO8601DateFormatter {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter
  }
}
