internal import HTTP
internal import JSON

extension Order {
  /// Ends the trial of a deletion. Call this after all checks: in a transaction, nothing of the
  /// trial stays.
  /// - Parameter counts: The numbers of the things that would be deleted, by plural names.
  /// - Throws: ``DeletionTrial``, unless the deletion is real.
  func endTrial(_ counts: @autoclosure () -> [String: Int64]) throws(DeletionTrial) {
    if isDryRun { throw DeletionTrial(counts: counts()) }
  }
}

/// The end of a deletion that was only tried, and its answer: `{"dry_run": true, "tokens": 2}`.
struct DeletionTrial: Error, JSONWritable {
  /// The numbers of the things that would be deleted, by plural names.
  let counts: [String: Int64]

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("dry_run", true)
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) { writer.member(name, count) }
    }
  }
}

extension Endpoint {
  /// A route that deletes. With `dry_run=true` it makes the same checks, answers what would go, and
  /// deletes nothing.
  /// - Parameters:
  ///   - key: The key of the thing that the request names.
  ///   - perform: Deletes. It calls ``Order/endTrial(_:)`` before it deletes, or before the
  ///     deletion is kept.
  ///   - answer: The answer after the deletion; 204 by default.
  static func deletion<Key: Sendable, Done: Sendable>(
    _ pattern: String, _ operation: String, _ access: Access, method: Method = .delete,
    body: BodyKind = .none, isLong: Bool = false,
    key: @escaping @Sendable (Request) throws -> Key,
    perform: @escaping @Sendable (Order<Key>, Call) async throws -> Done,
    answer: @escaping @Sendable (Done) -> Response = { _ in Response(.noContent) }
  ) -> Endpoint {
    Endpoint(
      method, pattern, operation, access, body: body, senderAudit: .all, isLong: isLong,
      decode: { request, query in try Order(key(request), request, &query) },
      perform: { (deletion: Order<Key>, call: Call) async throws -> Response in
        do {
          return answer(try await perform(deletion, call))
        } catch let trial as DeletionTrial {
          return .json(trial)
        }
      },
      encode: { response, _ in response })
  }
}
