// Sends the lines of the standard input to APNs by APNSwift; prints the answers, one on each line.
import APNS
import APNSCore
import Crypto
import Foundation
import NIOCore

/// A line of a rendering with "payload_form": "string". The summary has no token.
struct Line: Decodable {
  var token, environment, payload: String?
  var headers: [String: String]?
}

/// An answer of APNs in the form of POST …/feedback.
struct Answer: Encodable {
  var token, environment: String
  var status = 200
  var sentAt = Int(Date().timeIntervalSince1970 * 1000)
  var reason: String?
  var timestamp: Int?

  enum CodingKeys: String, CodingKey {
    case token, environment, status, reason, timestamp
    case sentAt = "sent_at"
  }
}

/// The very bytes of a payload.
struct Payload: APNSMessage { var text: String }

/// Writes payloads as they are.
struct PayloadWriter: APNSJSONEncoder {
  func encode<Value: Encodable>(_ value: Value, into buffer: inout ByteBuffer) throws {
    if let payload = value as? Payload { buffer.writeString(payload.text) }
  }
}

typealias Client = APNSClient<JSONDecoder, PayloadWriter>

/// What APNSwift has no word for.
struct Unsendable: Error { var field: String }

func request(_ line: Line, for token: String) throws -> APNSRequest<Payload> {
  let types: [String: APNSPushType] = [
    "alert": .alert, "background": .background, "voip": .voip,
  ]
  let priorities: [String: APNSPriority] = ["10": .immediately, "5": .consideringDevicePower]
  let headers = line.headers ?? [:]
  guard let type = types[headers["apns-push-type"] ?? ""] else {
    throw Unsendable(field: "apns-push-type")
  }
  guard let priority = priorities[headers["apns-priority"] ?? "10"] else {
    throw Unsendable(field: "apns-priority")
  }
  return APNSRequest(
    message: Payload(text: line.payload ?? ""), deviceToken: token, pushType: type,
    expiration: headers["apns-expiration"].flatMap { Int($0) }
      .map { .timeIntervalSince1970InSeconds($0) },
    priority: priority, apnsID: headers["apns-id"].flatMap { UUID(uuidString: $0) },
    topic: headers["apns-topic"], collapseID: headers["apns-collapse-id"])
}

/// The answer of APNs; `nil` when there was none.
func send(
  _ line: Line, to token: String, _ environment: String, by client: Client?
) async -> Answer? {
  var answer = Answer(token: token, environment: environment)
  do {
    guard let client else { throw Unsendable(field: "environment") }
    _ = try await client.send(request(line, for: token))
  } catch let error as APNSError {
    answer.status = error.responseStatus
    answer.reason = error.reason?.reason
    answer.timestamp = error.timestamp.map { Int(($0.timeIntervalSince1970 * 1000).rounded()) }
  } catch {
    FileHandle.standardError.write(Data("no answer: \(error)\n".utf8))
    return nil
  }
  return answer
}

@main struct Sender {
  static func main() async throws {
    let variables = ProcessInfo.processInfo.environment
    let key = try P256.Signing.PrivateKey(
      pemRepresentation: String(contentsOfFile: variables["APNS_KEY"] ?? "", encoding: .utf8))
    func client(_ host: String) -> Client {
      APNSClient(
        configuration: .init(
          authenticationMethod: .jwt(
            privateKey: key, keyIdentifier: variables["APNS_KEY_ID"] ?? "",
            teamIdentifier: variables["APNS_TEAM_ID"] ?? ""),
          environment: .custom(url: "https://\(host)")),
        eventLoopGroupProvider: .createNew, responseDecoder: JSONDecoder(),
        requestEncoder: PayloadWriter())
    }
    let clients = [
      "production": client("api.push.apple.com"), "sandbox": client("api.sandbox.push.apple.com"),
    ]
    var known: Set<String> = []
    var hasFailed = false
    func report(_ answer: Answer?) throws {
      guard let answer else {
        hasFailed = true
        return
      }
      FileHandle.standardOutput.write(try JSONEncoder().encode(answer) + Data("\n".utf8))
    }
    try await withThrowingTaskGroup(of: Answer?.self) { group in
      var underWay = 0
      while let text = readLine() {
        let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
        guard let token = line.token, let environment = line.environment else { continue }
        let client = clients[environment]
        // APNs takes one request at a time until it has seen a good token.
        if known.insert(environment).inserted {
          try report(await send(line, to: token, environment, by: client))
          continue
        }
        if underWay == 100, let answer = try await group.next() {
          underWay -= 1
          try report(answer)
        }
        underWay += 1
        group.addTask { await send(line, to: token, environment, by: client) }
      }
      for try await answer in group { try report(answer) }
    }
    for client in clients.values { try await client.shutdown() }
    if hasFailed { exit(1) }
  }
}
