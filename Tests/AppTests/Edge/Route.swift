import AppTesting
import HTTP
import Testing

@testable import App

/// A route with its pattern filled in, and a body that is JSON or a form.
struct Route {
  let method: String
  let path: String
  let kinds: [String]
  private let body: BodyKind

  /// - Parameter values: What the path names besides the app; what is missing is made up.
  init(_ operation: String, slug: String, _ values: [String: String] = [:]) throws {
    let endpoint = try #require(Features.all.first { $0.operation == operation })
    method = endpoint.method.name
    kinds = endpoint.access.text.split(separator: ",").map(String.init)
    body = endpoint.body
    let known = [
      "app": slug, "installation_id": Sample.id(), "key_id": Sample.id(), "kind": "apns",
      "token": Sample.token(), "environment": "production", "user": "u42",
      "file": "main.js",
    ].merging(values) { $1 }
    let parts = endpoint.pattern.dropFirst().split(
      separator: "/", omittingEmptySubsequences: false)
    path = parts.reduce("") { path, part in
      guard part.hasPrefix("{") else { return "\(path)/\(part)" }
      return "\(path)/\(known[String(part.dropFirst().dropLast())] ?? "1")"
    }
  }

  /// Calls it.
  /// - Parameter json: What a JSON body says.
  func call(_ client: Client, _ json: JSON = [:], query: String? = nil) async throws -> Reply {
    let path = path + (query.map { "?\($0)" } ?? "")
    return switch body {
    case .none: try await client.send(method, path)
    case .streamed: try await client.send(method, path, body: Array(json.text.utf8))
    case .json, .jsonOrLines: try await client.send(method, path, json: json)
    case .multipart: try await client.upload(path, [])
    }
  }
}
