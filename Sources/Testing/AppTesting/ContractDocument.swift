internal import Foundation

/// `openapi.yaml`, as far as requests and answers can be held against it.
public struct ContractDocument: Sendable {
  /// One operation.
  public struct Operation: Sendable {
    /// `GET`, and so on.
    public var method: String
    /// The path's pattern.
    public var path: String
    /// What the document says of it.
    public var content: JSON

    /// Its `operationId`.
    public var id: String { content["operationId"].string ?? "" }
    fileprivate var parts: [Substring]
  }

  /// The whole document.
  public let content: JSON
  /// All operations.
  public let operations: [Operation]

  /// The file at the root of the repository.
  public static let shared: ContractDocument = {
    let file = repository.appendingPathComponent("openapi.yaml")
    let content = (try? JSON(yaml: Array(Data(contentsOf: file)))) ?? .absent
    precondition(content != .absent, "Nothing reads openapi.yaml: make test-dependencies")
    return ContractDocument(content)
  }()

  private init(_ content: JSON) {
    self.content = content
    operations = content["paths"].names.flatMap { path in
      ["get", "put", "post", "patch", "delete"].compactMap { method in
        let operation = content["paths"][path][method]
        guard operation != .absent else { return nil }
        return Operation(
          method: method.uppercased(), path: path, content: operation,
          parts: path.split(separator: "/"))
      }
    }
  }

  /// What a reference leads to, or the value itself.
  public func resolved(_ value: JSON) -> JSON { SchemaCheck(document: content).resolved(value) }

  /// What of a value does not fit a schema, each with its place.
  public func faults(_ value: JSON, _ schema: JSON, isAnswer: Bool = false) -> [String] {
    SchemaCheck(document: content, isAnswer: isAnswer).faults(value, schema)
  }

  /// The statuses that an operation may be answered with, as the document lists them.
  public func responses(_ operation: Operation) -> [Int: JSON] {
    var responses: [Int: JSON] = [:]
    for name in operation.content["responses"].names {
      responses[Int(name) ?? 0] = resolved(operation.content["responses"][name])
    }
    return responses
  }

  /// The examples of a body's media type.
  public func examples(_ body: JSON) -> [JSON] {
    if body["example"] != .absent { return [body["example"]] }
    return body["examples"].names.map { resolved(body["examples"][$0])["value"] }
  }

  /// The operation that a request is about.
  func operation(_ method: String, _ target: String) -> Operation? {
    let path = target.prefix { $0 != "?" }
    let parts = path.split(separator: "/")
    return operations.filter { operation in
      operation.method == (method == "HEAD" ? "GET" : method)
        && operation.parts.count == parts.count && !path.hasSuffix("/")
        && zip(operation.parts, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }.max { left, right in left.literals < right.literals }
  }

  /// What an answer has that the document does not say; `nil` when it says all.
  ///
  /// Requests that are no HTTP, and methods that a path does not take, are described once for all.
  func fault(of reply: Reply, to method: String, _ target: String) -> String? {
    guard let operation = operation(method, target), !Self.everywhere.contains(reply.status) else {
      return nil
    }
    if reply.status == 400, let code = reply.problem, !Self.bodyCodes.contains(code) { return nil }
    guard let response = responses(operation)[reply.status] else {
      return "openapi.yaml has no \(reply.status) for \(operation.id): \(reply.text.prefix(300))"
    }
    let type = String((reply["content-type"] ?? "").prefix { $0 != ";" })
    let body = response["content"][type]
    if method != "HEAD", !reply.body.isEmpty, body == .absent {
      return "openapi.yaml has no \(type) for \(reply.status) of \(operation.id)"
    }
    guard type.hasSuffix("json"), type != "application/x-ndjson", !reply.body.isEmpty else {
      return nil
    }
    let faults = faults(reply.json, body["schema"], isAnswer: true)
    return faults.isEmpty
      ? nil : "\(reply.status) of \(operation.id) is not as described: \(faults.prefix(5))"
  }

  private static let everywhere: Set<Int> = [405, 408, 414, 417, 431, 500, 501, 505]
  private static let bodyCodes = ["malformed_json", "duplicate_member", "malformed_body"]
}

extension ContractDocument.Operation {
  /// How many parts of the path are no parameters.
  fileprivate var literals: Int { parts.count { !$0.hasPrefix("{") } }
}
