internal import HTTP

/// A request and the means to answer it: the input of a route's middle step.
@dynamicMemberLookup
struct Call {
  let request: Request
  let context: LoopContext
  /// The body of a streamed route, read piece by piece.
  let bodyReader: any BodyReader

  subscript<Value>(dynamicMember path: KeyPath<Request, Value>) -> Value { request[keyPath: path] }
}
