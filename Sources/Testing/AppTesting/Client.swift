internal import App
internal import Foundation
internal import HTTP

/// How a request reaches the service. Tests run over both, so that they show the same.
public enum Transport: String, CaseIterable, Sendable {
  /// Straight to the dispatcher.
  case inProcess
  /// Over a TCP connection.
  case socket
}

/// Sends requests to a service, with a key.
public struct Client: Sendable {
  /// Where the requests go.
  public let service: TestService
  /// How they go.
  public let transport: Transport
  /// The API key; `nil` sends none.
  public var key: String?
  /// The secret of an installation; `nil` sends none.
  public var secret: String?
  /// Whether answers are held against `openapi.yaml`.
  public var isChecked = true

  /// Sends a request and waits for its answer.
  /// - Throws: Also when the answer is none of those that `openapi.yaml` describes.
  /// - Parameters:
  ///   - path: With the query, percent-encoded.
  ///   - fields: Further fields; a body gets its `Content-Type` here.
  public func send(
    _ method: String, _ path: String, body: [UInt8] = [], fields: [(String, String)] = []
  ) async throws -> Reply {
    var all = fields
    if let key { all.append(("Authorization", "Bearer \(key)")) }
    if let secret { all.append(("Postilion-Installation-Secret", secret)) }
    if !body.isEmpty { all.append(("Content-Length", String(body.count))) }
    let reply =
      switch transport {
      case .inProcess: try await dispatch(method, path, body, all)
      case .socket: try await overSocket(method, path, body, all)
      }
    if isChecked, let fault = ContractDocument.shared.fault(of: reply, to: method, path) {
      throw Undescribed(fault: fault)
    }
    return reply
  }

  /// Sends JSON.
  public func send(
    _ method: String, _ path: String, json: JSON, fields: [(String, String)] = []
  ) async throws -> Reply {
    try await send(
      method, path, body: Array(json.text.utf8),
      fields: [("Content-Type", "application/json")] + fields)
  }

  /// `GET`.
  public func get(_ path: String) async throws -> Reply { try await send("GET", path) }
  /// `PUT` with JSON.
  public func put(_ path: String, _ json: JSON) async throws -> Reply {
    try await send("PUT", path, json: json)
  }
  /// `PATCH` with JSON.
  public func patch(_ path: String, _ json: JSON) async throws -> Reply {
    try await send("PATCH", path, json: json)
  }
  /// `POST` with JSON.
  public func post(_ path: String, _ json: JSON) async throws -> Reply {
    try await send("POST", path, json: json)
  }
  /// `DELETE`.
  public func delete(_ path: String) async throws -> Reply { try await send("DELETE", path) }

  /// Sends files as `multipart/form-data`, each part's filename the file's path.
  public func upload(
    _ path: String, _ files: [(path: String, text: String)], by method: String = "PUT",
    fields: [(String, String)] = []
  ) async throws -> Reply {
    let files = files.map { (path: $0.path, bytes: Array($0.text.utf8)) }
    return try await upload(path, bytes: files, by: method, fields: fields)
  }

  /// The same with files of any bytes.
  public func upload(
    _ path: String, bytes files: [(path: String, bytes: [UInt8])], by method: String = "PUT",
    fields: [(String, String)] = []
  ) async throws -> Reply {
    let boundary = "postilion-test-boundary"
    var body: [UInt8] = []
    for file in files {
      body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; ".utf8
      body += "filename=\"\(file.path)\"\r\n\r\n".utf8
      body += file.bytes + "\r\n".utf8
    }
    body += "--\(boundary)--\r\n".utf8
    return try await send(
      method, path, body: body,
      fields: [("Content-Type", "multipart/form-data; boundary=\(boundary)")] + fields)
  }

  /// All items of a list, page by page.
  /// - Parameter path: With a query, at least `?`.
  public func items(_ path: String) async throws -> [JSON] {
    var items: [JSON] = []
    var cursor: String?
    repeat {
      let reply = try await get(path + (cursor.map { "&cursor=\($0)" } ?? ""))
      guard reply.status == 200 else { throw Unexpected(reply: reply) }
      items += reply.json["items"].elements
      cursor = reply.json["next_cursor"].string
    } while cursor != nil
    return items
  }

  private func dispatch(
    _ method: String, _ path: String, _ body: [UInt8], _ fields: [(String, String)]
  ) async throws -> Reply {
    do {
      let head = try RequestHead(method: Method(method), target: path, fields: fields)
      let (response, bytes) = try await service.service.answer(head, body: body)
      return Reply(
        status: response.status.code, fields: response.fields.all.map { ($0.name, $0.value) },
        body: bytes)
    } catch let error as ParseError {
      let response = service.service.answer(error)
      return Reply(
        status: response.status.code, fields: response.fields.all.map { ($0.name, $0.value) },
        body: try await response.collectBody())
    }
  }

  private func overSocket(
    _ method: String, _ path: String, _ body: [UInt8], _ fields: [(String, String)]
  ) async throws -> Reply {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    let bytes = Array((text + "\r\n").utf8) + body
    let port = service.port
    return try await blocking {
      let wire = try Wire(port: port)
      try wire.send(bytes)
      return try wire.receive()
    }
  }
}

/// An answer that `openapi.yaml` does not tell of.
struct Undescribed: Error, CustomStringConvertible {
  let fault: String

  var description: String { fault }
}

/// An answer that a test cannot go on with.
public struct Unexpected: Error, CustomStringConvertible {
  let reply: Reply

  /// For an answer that is of no use.
  public init(reply: Reply) { self.reply = reply }

  /// The status and the body.
  public var description: String { "\(reply.status) \(reply.text)" }
}
