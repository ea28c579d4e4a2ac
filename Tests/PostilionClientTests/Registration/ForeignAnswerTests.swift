import Foundation
import Testing

@testable import PostilionClient

/// Answers of what stands between an app and its server: the page of a hotel, a proxy, a firewall.
@Suite struct ForeignAnswerTests {
  static let bodies = [
    "", "<html>Welcome</html>", "{}", #"{"status":"ok","id":"1"}"#, #"{"code":"invalid_input"}"#,
    #"{"code":"installation_secret_wrong","type":"about:blank"}"#,
    #"{"code":"installation_not_found"}"#, #"{"code":422}"#,
  ]
  static let statuses = [
    200, 201, 202, 203, 301, 302, 307, 400, 401, 403, 404, 407, 410, 413, 415, 422, 429, 451, 500,
    502, 503, 511,
  ]

  private static func changes() -> [RegistrationChange] {
    [
      .fields([.appBuild: "413"]), .signedOut, .opted(isIn: false),
      .failed(
        FailureReport(
          kind: .apns, domain: "d", code: 1, message: "m", occurredAt: Date())),
    ]
  }

  /// None of them does or undoes anything, whatever it wishes.
  @Test(arguments: statuses, bodies) func aForeignAnswerChangesNothing(
    _ status: Int, _ body: String
  ) throws {
    for change in Self.changes() {
      var conversation = Conversation(registered: 0xA1)
      conversation.state.apply(change)
      let sent = conversation.send()
      let request = try #require(sent)
      let response = TransportResponse(
        status: status, retryAfter: 86_400, body: Data(body.utf8))
      let outcome = RequestOutcome(response, to: request)
      guard case .failed(let failure) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(failure.retryAfter == nil)
      _ = conversation.state.ended(request, outcome, at: conversation.now, random: 0.5)
      conversation.now += 2
      let next = conversation.send()
      #expect(next?.method == request.method)
      #expect(next?.path == request.path)
      #expect(next?.body?["app_build"] == request.body?["app_build"])
    }
  }

  /// A redirect makes a `GET` of a report, whose answer says what is stored, and not that it was
  /// done.
  @Test func theAnswerToAGetConfirmsNoReport() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    let sent = conversation.send()
    let body: [String: PayloadValue] = [
      "installation_id": .string(conversation.identity.id.uuidString.lowercased())
    ]
    let response = TransportResponse(status: 200, body: PayloadValue.object(body).encoded())
    guard case .failed = RequestOutcome(response, to: try #require(sent)) else {
      Issue.record("it is confirmed")
      return
    }
  }

  /// The server's own wish is kept for an hour at most, and for what a person does not at all.
  @Test(
    arguments: [
      (.fields([.appBuild: "414"]), false), (.woken, false),
      (.launched(Conversation.profile), false),
      (.token(.apns, Data(repeating: 0xA1, count: 32)), false),
      (.token(.apns, Data(repeating: 0xB2, count: 32)), true),
      (.token(.voip, Data(repeating: 0xB2, count: 32)), true), (.signedOut, true),
      (.signedIn("u1", proof: nil), true), (.opted(isIn: false), true), (.opted(isIn: true), true),
    ] as [(RegistrationChange, Bool)])
  func whatAPersonDoesIsTriedAtOnce(_ change: RegistrationChange, _ isAtOnce: Bool) throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.appBuild: "413"]))
    conversation.answer(503, ["code": "overloaded"], retryAfter: 86_400)
    #expect(conversation.next == "wait 3600.0")
    // Also in a new process.
    conversation.state = try JSONDecoder().decode(
      RegistrationState.self, from: JSONEncoder().encode(conversation.state))
    conversation.state.apply(change)
    #expect(conversation.next.hasPrefix("wait") == !isAtOnce, "\(conversation.next)")
    conversation.now += 3600
    #expect(!conversation.next.hasPrefix("wait"))
  }
}
