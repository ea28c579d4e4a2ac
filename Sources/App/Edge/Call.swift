internal import HTTP

/// A request and the means to answer it: what a route's middle step works with.
@dynamicMemberLookup
struct Call {
  let request: Request
  let context: LoopContext
  /// The body of a streamed route, read piece by piece.
  let bodyReader: any BodyReader

  /// What the request says.
  subscript<Value>(dynamicMember path: KeyPath<Request, Value>) -> Value { request[keyPath: path] }
}
