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
    (.waiting("invalid_key"), "waiting, then trying again: invalid_key", true),
    (.waiting("app_not_found"), "waiting, then trying again: app_not_found", true),
    (
      .leftOut("/tag_changes/add/3", code: "too_long"),
      "the server left out /tag_changes/add/3 of a report: too_long", true
    ),
  ])
  func eventIsALine(_ event: PostilionEvent, _ line: String, _ needsAttention: Bool) {
    #expect(event.logLine == line)
    #expect(event.needsAttention == needsAttention)
  }
}
