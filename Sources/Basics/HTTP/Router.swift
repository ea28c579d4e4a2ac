/// The result of a search for a path and a method.
public enum RouteMatch<Route> {
  /// A route, and the values of its parameters in the path.
  case found(Route, PathParameters)
  /// The path is known for other methods: those of `Allow`, in alphabetical order.
  case methodNotAllowed(allow: [String])
  case notFound
}

extension RouteMatch: Sendable where Route: Sendable {}

/// Finds the route of a request.
///
/// A pattern is a path whose segments are literal or a parameter that takes one whole non-empty
/// segment. Of two patterns that match, the one with the earlier literal wins, whatever the method:
/// a path names one resource, and the method only asks what to do with it.
///
///     /v1/apps/{app}/keys/{id}     /v1/apps/mail/keys/7     app: mail, id: 7
///     /v1/apps/{app}, /v1/apps/me  /v1/apps/me              the second
///
/// Segments are percent-decoded before they are compared; an escaped `/` is part of its segment. A
/// bad escape, bytes that are not UTF-8 and NUL match nothing. Slashes are not merged and dots mean
/// nothing.
public struct Router<Route> {
  private var table = RouteTable()
  private var routes: [Route] = []

  public init() {}

  /// Adds a route. A pattern must begin with `/`; a method and pattern must be new.
  public mutating func add(_ method: Method, _ pattern: String, _ route: Route) {
    table.add(method, pattern, route: routes.count)
    routes.append(route)
  }

  /// The route of a request; `HEAD` falls back to `GET`.
  ///
  /// - Parameter path: raw, as in `RequestHead.path`.
  public func match(method: Method, path: String) -> RouteMatch<Route> {
    switch table.match(method: method, path: path) {
    case .found(let index, let parameters): .found(routes[index], parameters)
    case .methodNotAllowed(let allow): .methodNotAllowed(allow: allow)
    case .notFound: .notFound
    }
  }
}

extension Router: Sendable where Route: Sendable {}

/// The values in a path for the parameters of its pattern, percent-decoded.
public struct PathParameters: Sendable, Hashable {
  let names: [String]
  let values: [String]

  /// The value of a parameter; nil when the pattern has none of that name.
  public subscript(name: String) -> String? {
    names.firstIndex(of: name).map { values[$0] }
  }

  /// All of them, in the order of the path.
  public var all: [(name: String, value: String)] { zip(names, values).map { ($0, $1) } }
}

/// The patterns of a router as a tree of segments, leading to the routes' numbers.
///
/// It is apart from `Router` because a generic type of another module is not specialized where it
/// is used: as one type, a look-up took twice the time of parsing the request.
struct RouteTable: Sendable {
  private struct Node {
    var literals: [(name: [UInt8], node: Int)] = []
    var parameter: Int?
    var endpoints: [Endpoint] = []
  }

  private struct Endpoint {
    let method: Method
    let route: Int
    let names: [String]
  }

  private var nodes = [Node()]

  mutating func add(_ method: Method, _ pattern: String, route: Int) {
    precondition(pattern.utf8.first == UInt8(ascii: "/"), "pattern without a leading slash")
    var node = 0
    var names: [String] = []
    for segment in pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if segment.hasPrefix("{"), segment.hasSuffix("}") {
        names.append(String(segment.dropFirst().dropLast()))
        node = parameterChild(of: node)
      } else {
        node = literalChild(of: node, named: Array(segment.utf8))
      }
    }
    precondition(
      !nodes[node].endpoints.contains { $0.method == method }, "\(method.name) \(pattern) twice")
    nodes[node].endpoints.append(Endpoint(method: method, route: route, names: names))
  }

  func match(method: Method, path: String) -> RouteMatch<Int> {
    var path = path
    return path.withUTF8 { bytes in
      guard bytes.first == UInt8(ascii: "/") else { return .notFound }
      guard bytes.contains(UInt8(ascii: "%")) else { return match(method, bytes) }
      guard let decoded = Self.decoded(bytes) else { return .notFound }
      return decoded.withUnsafeBufferPointer { match(method, $0) }
    }
  }

  private func match(_ method: Method, _ path: Bytes) -> RouteMatch<Int> {
    var values: [Range<Int>] = []
    guard let node = find(path, from: 1, node: 0, &values) else { return .notFound }
    let endpoints = nodes[node].endpoints
    let endpoint =
      endpoints.first { $0.method == method }
      ?? (method == .head ? endpoints.first { $0.method == .get } : nil)
    guard let endpoint else {
      var allowed = Set(endpoints.map(\.method.name))
      if allowed.contains("GET") { allowed.insert("HEAD") }
      return .methodNotAllowed(allow: allowed.sorted())
    }
    return .found(
      endpoint.route,
      PathParameters(
        names: endpoint.names,
        values: values.map { range in
          String(
            decoding: path[range].lazy.map { $0 == Self.escapedSlash ? UInt8(ascii: "/") : $0 },
            as: UTF8.self)
        }))
  }

  /// The node that the path from `start` on leads to: the literal way first, then the parameter's.
  private func find(
    _ path: Bytes, from start: Int, node: Int, _ values: inout [Range<Int>]
  ) -> Int? {
    guard start <= path.count else { return nodes[node].endpoints.isEmpty ? nil : node }
    var end = start
    while end < path.count, path[end] != UInt8(ascii: "/") { end &+= 1 }
    let segment = start..<end
    for child in nodes[node].literals where Self.equal(path, segment, child.name) {
      if let found = find(path, from: end + 1, node: child.node, &values) { return found }
    }
    guard let parameter = nodes[node].parameter, !segment.isEmpty else { return nil }
    values.append(segment)
    if let found = find(path, from: end + 1, node: parameter, &values) { return found }
    values.removeLast()
    return nil
  }

  private mutating func parameterChild(of node: Int) -> Int {
    if let child = nodes[node].parameter { return child }
    nodes.append(Node())
    nodes[node].parameter = nodes.count - 1
    return nodes.count - 1
  }

  private mutating func literalChild(of node: Int, named name: [UInt8]) -> Int {
    if let child = nodes[node].literals.first(where: { $0.name == name }) { return child.node }
    nodes.append(Node())
    nodes[node].literals.append((name, nodes.count - 1))
    return nodes.count - 1
  }

  /// Stands for an escaped slash, which belongs to its segment: a byte that UTF-8 does not have.
  private static let escapedSlash: UInt8 = 0xFF

  /// The whole path decoded; its segments stay what they were.
  private static func decoded(_ path: Bytes) -> [UInt8]? {
    guard let whole = percentDecoded(path), !whole.contains(0),
      String(validating: whole, as: UTF8.self) != nil
    else { return nil }
    return percentDecoded(path, escapedSlash: escapedSlash)
  }

  private static func equal(_ path: Bytes, _ range: Range<Int>, _ name: [UInt8]) -> Bool {
    guard range.count == name.count else { return false }
    for offset in 0..<name.count where path[range.lowerBound &+ offset] != name[offset] {
      return false
    }
    return true
  }
}
