import AppTesting
import Testing

/// Names are their bytes: `café` with é as one character, and with an accent behind an e, are two.
@Suite struct NameSpellingTests {
  private static let names = ["caf\u{E9}", "cafe\u{301}"]
  private static let inPaths = ["caf%C3%A9", "cafe%CC%81"]
  private static let fields = [("Content-Type", "application/json")]

  /// What a report says of each name, `NAME` and `TOKEN` being put in, and a message to one.
  @Test(
    arguments: [
      (
        #""live_activities":{"#, #""NAME":{"token":"TOKEN","type":"T"}"#, "}",
        #"{"live_activity":{"event":"update","activity":"NAME","content_state":{}}}"#
      ),
      (
        #""nowplaying":{"#, #""NAME":{"token":"TOKEN"}"#, "}",
        #"{"nowplaying":{"event":"end","session":"NAME"}}"#
      ),
      (
        #""controls":{"Lights":{"#, #""NAME":{"token":"TOKEN"}"#, "}}",
        #"{"control":{"handler":"Lights","control":"NAME"}}"#
      ),
      (
        #""controls":{"#, #""NAME":{"porch":{"token":"TOKEN"}}"#, "}",
        #"{"control":{"handler":"NAME","control":"porch"}}"#
      ),
    ] as [(String, String, String, String)])
  func twoSpellingsHaveTwoTokens(
    start: String, credential: String, end: String, message: String
  ) async throws {
    let app = try await TestApp.make(.inProcess)
    let (id, tokens) = (Sample.id(), [Sample.token(), Sample.token()])
    let all = zip(Self.names, tokens).map { name, token in
      credential.putting(name, token)
    }
    let report =
      #"{"platform":"ios","environment":"production","languages":["en"],"credentials":{"#
      + start + all.joined(separator: ",") + end + "}}"
    let made = try await app.client.send(
      "PUT", app.installation(id), body: Array(report.utf8), fields: Self.fields)
    #expect(made.status == 201 && made.ignored == [], "\(made.text)")
    // So often that the message is remembered.
    for _ in 0..<3 {
      for (name, token) in zip(Self.names, tokens) {
        let call = #"{"to":{"installation":"\#(id)"},"message":\#(message.putting(name, ""))}"#
        let reply = try await app.sender.send(
          "POST", "\(app.path)/render", body: Array(call.utf8), fields: Self.fields)
        #expect(reply.status == 200 && reply.json["token"] == .string(token), "\(reply.text)")
      }
    }
  }

  @Test func twoSpellingsAreTwoTagsAttributesAndPersons() async throws {
    let app = try await TestApp.make(.inProcess)
    var ids: [String] = []
    for name in Self.names {
      let id = Sample.id()
      let report = """
        {"platform":"ios","environment":"production","languages":["en"],"user":{"id":"\(name)"},
        "tags":["\(name)"],"attributes":{"\(name)":"\(name)"},
        "credentials":{"apns":{"token":"\(Sample.token())"}}}
        """
      let made = try await app.client.send(
        "PUT", app.installation(id), body: Array(report.utf8), fields: Self.fields)
      #expect(made.status == 201 && made.ignored == [], "\(made.text)")
      ids.append(id)
    }
    for (name, id) in zip(Self.inPaths, ids) {
      for filter in ["tag=\(name)", "attributes[\(name)]=\(name)", "user=\(name)"] {
        let list = try await app.admin.get("\(app.path)/installations?\(filter)")
        let found = list.json["items"].elements.map { $0["installation_id"] }
        #expect(found == [.string(id)], "\(filter): \(list.text)")
      }
    }
    // One device may have both.
    let added = try await app.admin.send(
      "POST", "\(app.installation(ids[0]))/tags", body: Array(#"{"add":["cafe\u0301"]}"#.utf8),
      fields: Self.fields)
    #expect(added.json["tags"].elements.count == 2, "\(added.text)")
  }
}

extension String {
  fileprivate func putting(_ name: String, _ token: String) -> String {
    replacing("NAME", with: name).replacing("TOKEN", with: token)
  }
}
