internal import HTTP
internal import JSON

/// The state of a thing that a call is meant for: `If-Match` and `If-None-Match` (RFC 9110,
/// sections 13.1.1 and 13.1.2) with the tags that `ETag` tells.
///
/// | field | a change is made when the thing | a reading is answered |
/// |---|---|---|
/// | `If-Match: "3"` | has this tag | likewise, else 412 |
/// | `If-Match: *` | is there | likewise |
/// | `If-None-Match: *` | is not there | with 304 |
/// | `If-None-Match: "3"` | has another tag | with 304 when it has this one |
struct Precondition: Sendable {
  private let match: EntityTagList?
  private let noneMatch: EntityTagList?

  /// Reads the fields of a request.
  /// - Throws: ``InputFailure`` when a field has no list of entity tags.
  init(_ head: RequestHead) throws(InputFailure) {
    match = try Self.tags(head.header("if-match"), "If-Match")
    noneMatch = try Self.tags(head.header("if-none-match"), "If-None-Match")
  }

  /// Refuses a change that is meant for another state.
  /// - Parameter present: The present tag; `nil` when there is nothing yet.
  func check(_ present: EntityTag?) throws(Problem) {
    try checkMatch(present)
    if excludes(present) { throw Self.mismatch(present) }
  }

  /// Whether a reader has the present state already.
  /// - Throws: ``Problem`` when the reader wants another state.
  func isKnown(_ present: EntityTag) throws(Problem) -> Bool {
    try checkMatch(present)
    return excludes(present)
  }

  private func checkMatch(_ present: EntityTag?) throws(Problem) {
    guard let match else { return }
    guard let present, match.isAny || match.names(present.text) else {
      throw Self.mismatch(present)
    }
  }

  private func excludes(_ present: EntityTag?) -> Bool {
    guard let noneMatch, let present else { return false }
    return noneMatch.isAny || noneMatch.names(present.text, weakly: true)
  }

  private static func mismatch(_ present: EntityTag?) -> Problem {
    let state = present.map { "it is \($0.text) now" } ?? "there is none now"
    return Problem(
      .versionMismatch, "The call expects another state: \(state). Read it again first.")
  }

  private static func tags(
    _ text: String?, _ name: String
  ) throws(InputFailure) -> EntityTagList? {
    guard let text else { return nil }
    guard let tags = EntityTagList(text) else {
      throw InputFailure(.unknownValue, at: name, "\(name) is `*`, or tags such as \"3\".")
    }
    return tags
  }
}

extension Response {
  /// The answer with the tag of the state that it shows.
  func tagged(_ tag: EntityTag) -> Response { with("ETag", tag.text) }

  /// The answer to a reading: empty when the reader has this state already.
  func tagged(_ tag: EntityTag, unlessKnown request: Request) throws -> Response {
    guard try Precondition(request.head).isKnown(tag) else { return tagged(tag) }
    return Response(.notModified).tagged(tag)
  }

  /// The answer with the place of a created thing, when the answer is 201.
  func located(at path: @autoclosure () -> String) -> Response {
    status == .created ? with("Location", path()) : self
  }

  /// The answer with a secret that no cache on the way may keep.
  func unstored() -> Response { with("Cache-Control", "no-store") }

  private func with(_ name: String, _ value: String) -> Response {
    var response = self
    response.fields.append(name, value)
    return response
  }
}
