internal import HTTP
internal import JSON

/// For which state of a thing a change is meant: `If-Match` and `If-None-Match` (RFC 9110, sections
/// 13.1.1 and 13.1.2) with the versions that `ETag` tells.
///
/// | field | the change is made when the thing |
/// |---|---|
/// | `If-Match: "3"` | is at version 3 |
/// | `If-Match: *` | is there |
/// | `If-None-Match: *` | is not there |
/// | `If-None-Match: "3"` | is not at version 3 |
struct Precondition: Sendable {
  private enum Tags: Sendable {
    case any
    case listed([Substring])
  }

  private let match: Tags?
  private let noneMatch: Tags?

  /// Reads the fields of a request.
  /// - Throws: ``InputFailure`` when one has no list of entity tags.
  init(_ head: RequestHead) throws(InputFailure) {
    match = try Self.tags(head.header("if-match"), "If-Match")
    noneMatch = try Self.tags(head.header("if-none-match"), "If-None-Match")
  }

  /// The entity tag of a version.
  static func tag(_ version: Int64) -> String { "\"\(version)\"" }

  /// Refuses a change that is meant for another state.
  /// - Parameter version: The present version; `nil` when there is nothing yet.
  func check(version: Int64?) throws(Problem) {
    let tag = version.map(Self.tag)
    let isMet =
      switch match {
      case nil: true
      case .any: tag != nil
      // A weak tag, W/"3", is none that could be matched here.
      case .listed(let tags): tags.contains { $0 == tag ?? "" }
      }
    let isExcluded =
      switch noneMatch {
      case nil: false
      case .any: tag != nil
      case .listed(let tags): tags.contains { $0.trimmingPrefix("W/") == tag ?? "" }
      }
    guard isMet, !isExcluded else {
      let state = version.map { "is at version \($0)" } ?? "is not there"
      throw Problem(.versionMismatch, "The change is meant for another version: this \(state).")
    }
  }

  private static func tags(_ text: String?, _ name: String) throws(InputFailure) -> Tags? {
    guard let text else { return nil }
    if text == "*" { return .any }
    let tag = /(?:W\/)?"[^"]*"/
    let tags = text.matches(of: tag).map(\.output)
    let rest = text.replacing(tag, with: "")
    guard !tags.isEmpty, rest.allSatisfy({ ", \t".contains($0) }) else {
      throw InputFailure([
        InputFault.unknownValue.problem(at: name, "\(name) is `*`, or tags such as \"3\".")
      ])
    }
    return .listed(tags)
  }
}
