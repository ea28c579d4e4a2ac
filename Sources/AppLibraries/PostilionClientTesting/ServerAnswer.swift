import Foundation
import PostilionClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A call for an installation.
struct ServerCall {
  /// `PUT`, `PATCH`, `GET` or `DELETE`.
  var method: String
  /// The installation.
  var id: UUID
  /// `Postilion-Installation-Secret`.
  var secret: String?
  /// The report, an object.
  var body: PayloadValue?
  /// Whether it comes with a client key.
  var isApp: Bool

  /// A secret that is taken for one: 32 to 256 bytes.
  var offeredSecret: String? {
    secret.flatMap { (32...256).contains($0.utf8.count) ? $0 : nil }
  }
}

/// A fault of the input, or what was left out of it: `InputProblem`.
struct ServerFault: Hashable {
  /// The place in the body.
  var pointer: String
  /// What is wrong.
  var code: String

  /// A fault.
  init(_ pointer: String, _ code: String) {
    self.pointer = pointer
    self.code = code
  }

  /// As the contract writes it.
  var value: PayloadValue {
    [
      "pointer": .string(pointer), "code": .string(code),
      "detail": .string("\(pointer): \(code)"),
    ]
  }
}

/// An answer of the contract.
struct ServerAnswer {
  /// The HTTP status.
  var status: Int
  /// The members of the body; 204 has none.
  var body: [String: PayloadValue] = [:]

  /// As it goes over the network.
  var response: TransportResponse {
    TransportResponse(
      status: status, body: status == 204 ? Data() : PayloadValue.object(body).encoded())
  }

  /// For a path that the contract does not have.
  static let notFound = problem(404, "not_found", "There is nothing at this path")
  /// For a method that the path does not have.
  static let methodNotAllowed = problem(
    405, "method_not_allowed", "This path does not know the method")
  /// For an installation that is not there.
  static let noInstallation = problem(
    404, "installation_not_found", "There is no such installation")

  /// An error: `Problem`.
  static func problem(
    _ status: Int, _ code: String, _ title: String, _ faults: [ServerFault] = []
  ) -> Self {
    var body: [String: PayloadValue] = [
      "type": .string("urn:postilion:problem:\(code)"), "title": .string(title),
      "status": .integer(Int64(status)), "code": .string(code), "detail": .string(title),
      "request_id": "00000000-0000-0000-0000-000000000000",
    ]
    if !faults.isEmpty { body["errors"] = .array(faults.prefix(50).map(\.value)) }
    return Self(status: status, body: body)
  }

  /// A body that is not as the contract says.
  static func invalid(_ faults: [ServerFault]) -> Self {
    problem(422, "invalid_input", "The input is not valid", faults)
  }

  /// Reads the body of a request, and answers it.
  static func reading(
    _ request: URLRequest, maximumBytes: Int, _ answer: (PayloadValue) -> Self
  ) -> Self {
    let media = request.value(forHTTPHeaderField: "Content-Type")?.prefix { $0 != ";" }
    let isPatch = request.httpMethod == "PATCH" && media == "application/merge-patch+json"
    guard media == "application/json" || isPatch else {
      return problem(415, "unsupported_media_type", "The body is not JSON by its type")
    }
    let data = request.httpBody ?? Data()
    guard data.count <= maximumBytes else {
      return problem(413, "body_too_large", "The body is too large")
    }
    guard let value = PayloadValue(json: data) else {
      return problem(400, "malformed_json", "The body is not JSON")
    }
    guard case .object = value else { return invalid([ServerFault("", "wrong_type")]) }
    return answer(value)
  }
}
