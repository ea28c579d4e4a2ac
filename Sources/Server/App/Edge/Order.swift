internal import JSON

/// The key of a thing to replace or to delete, the state that it must have, and whether this is
/// only tried.
struct Order<Key: Sendable>: Sendable {
  let key: Key
  let precondition: Precondition
  /// Whether nothing is changed: `dry_run=true` in the query.
  let isDryRun: Bool

  /// The order that a request gives.
  /// - Throws: ``InputFailure`` when a field of the request has no list of entity tags.
  init(_ key: Key, _ request: Request, _ query: inout QueryReader) throws(InputFailure) {
    self.key = key
    precondition = try Precondition(request.head)
    isDryRun = query.isDryRun()
  }
}
