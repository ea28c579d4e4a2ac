import Testing

@testable import PostilionClient

struct PostilionEventLogTests {
  @Test(arguments: [
    (PostilionEvent.registered, "registered", false),
    (.removed, "removed from the server", false),
    (.renewed, "the secret was refused, a new installation was made", true),
    (
      .userUnproven("identity_token_expired"),
      "the person was not taken without a good proof: identity_token_expired", true
    ),
    (.refused("field_invalid"), "the server refused a report: field_invalid", true),
    (
      .waiting("NSURLErrorDomain -1009"), "waiting, then trying again: NSURLErrorDomain -1009",
      false
    ),
  ])
  func eventIsALine(_ event: PostilionEvent, _ line: String, _ needsAttention: Bool) {
    #expect(event.logLine == line)
    #expect(event.needsAttention == needsAttention)
  }
}
