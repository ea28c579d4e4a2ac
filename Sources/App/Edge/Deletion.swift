internal import JSON

/// What is to be deleted, and in which state.
struct Deletion<Key: Sendable>: Sendable {
  let key: Key
  let precondition: Precondition

  /// The deletion that a request orders.
  /// - Throws: ``InputFailure`` when a field of the request has no list of entity tags.
  init(_ key: Key, _ request: Request) throws(InputFailure) {
    self.key = key
    precondition = try Precondition(request.head)
  }
}
