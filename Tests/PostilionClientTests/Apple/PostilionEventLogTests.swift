import Testing

@testable import PostilionClient

struct PostilionEventLogTests {
  @Test(arguments: [
    (PostilionEvent(.registered), "registered", false),
    (PostilionEvent(.removed), "removed from the server", false),
    (PostilionEvent(.renewed), "the secret was refused, a new installation was made", true),
    (
      PostilionEvent(.userUnproven, code: "identity_token_expired"),
      "the person was not taken without a good proof: identity_token_expired", true
    ),
    (
      PostilionEvent(.refused, code: "field_invalid"),
      "the server refused a report: field_invalid", true
    ),
    (
      PostilionEvent(.waiting, code: "NSURLErrorDomain -1009"),
      "waiting, then trying again: NSURLErrorDomain -1009", false
    ),
    (
      PostilionEvent(.waiting, code: "invalid_key"),
      "waiting, then trying again: invalid_key", true
    ),
    (
      PostilionEvent(.waiting, code: "app_not_found"),
      "waiting, then trying again: app_not_found", true
    ),
    (PostilionEvent(.init(rawValue: "hologram"), code: "a"), "hologram: a", false),
    (
      PostilionEvent(.leftOut, code: "too_long", pointer: "/tag_changes/add/3"),
      "the server left out /tag_changes/add/3 of a report: too_long", true
    ),
  ])
  func eventIsALine(_ event: PostilionEvent, _ line: String, _ needsAttention: Bool) {
    #expect(event.logLine == line)
    #expect(event.needsAttention == needsAttention)
  }
}
