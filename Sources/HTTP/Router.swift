/// What a path and a method lead to.
public enum RouteMatch<Route> {
  /// A route, and what stands in the path for its parameters.
  case found(Route, PathParameters)
  /// The path is known for other methods: those of `Allow`, in alphabetical order.
  case methodNotAllowed(allow: [String])
  /// No route has that path.
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

  /// A router without routes.
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

/// What stands in a path for the parameters of its pattern, percent-decoded.
public struct PathParameters: Sendable, Hashable {
  private let names: [String]
  private let values: [String]

  init(names: [String], values: [String]) {
    self.names = names
    self.values = values
  }

  /// The value of a parameter; nil when the pattern has none of that name.
  public subscript(name: String) -> String? {
    names.firstIndex(of: name).map { values[$0] }
  }

  /// All of them, in the order of the path.
  public var all: [(name: String, value: String)] { zip(names, values).map { ($0, $1) } }
}
