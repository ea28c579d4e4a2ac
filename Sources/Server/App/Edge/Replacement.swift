import HTTP
import JSON

/// A thing as it is after a `PUT`.
struct Replaced<View: JSONWritable & Sendable>: Sendable {
  let view: View
  /// Whether there was none before.
  let isNew: Bool
}

/// The end of a replacement that was only tried: the thing as it would be.
private struct ReplacementTrial<View: Sendable>: Error {
  let view: View
}

extension Order {
  /// Ends the trial of a replacement. Call this after all checks: in a transaction, nothing of the
  /// trial stays.
  /// - Parameter view: The thing as it would be.
  /// - Throws: The end of the trial, unless the replacement is real.
  func endTrial<View: JSONWritable & Sendable>(as view: @autoclosure () -> View) throws {
    if isDryRun { throw ReplacementTrial(view: view()) }
  }
}

extension Endpoint {
  /// A route that makes or replaces one thing. With `dry_run=true` it makes the same checks,
  /// answers what would be stored, without tag and address, and stores nothing.
  /// - Parameters:
  ///   - key: The key of the thing that the request names.
  ///   - read: Reads the body.
  ///   - perform: Stores. It calls ``Order/endTrial(as:)`` before it stores.
  static func replacement<Key: Sendable, Content: Sendable, View: JSONWritable & Sendable>(
    _ pattern: String, _ operation: String, _ access: Access, body: BodyKind,
    needsApp: Bool = true,
    key: @escaping @Sendable (Request) throws -> Key,
    read: @escaping @Sendable (Request) throws -> Content,
    perform: @escaping @Sendable (Order<Key>, Content, Call) async throws -> Replaced<View>,
    tag: @escaping @Sendable (View) -> EntityTag
  ) -> Endpoint {
    Endpoint(
      .put, pattern, operation, access, body: body, needsApp: needsApp,
      decode: { request, query in
        (try Order(key(request), request, &query), try read(request))
      },
      perform: { (input: (order: Order<Key>, content: Content), call) async throws -> Response in
        do {
          let replaced = try await perform(input.order, input.content, call)
          return .json(replaced.view, replaced.isNew ? .created : .ok)
            .tagged(tag(replaced.view)).located(at: call.request.head.path)
        } catch let trial as ReplacementTrial<View> {
          return .json(trial.view)
        }
      },
      encode: { response, _ in response })
  }
}
