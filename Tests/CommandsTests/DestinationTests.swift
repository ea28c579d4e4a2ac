import Testing

@testable import Commands

/// Which service is called, and which key it gets.
@Suite struct DestinationTests {
  private static let standard = Profile(url: "https://b", key: "L", app: "food")

  private static let named = ["default": Profile(url: "https://d", key: "D"), "p": standard]

  @Test(
    arguments: [
      (.init(), [:], .init(url: "http://127.0.0.1:8080", key: nil, app: nil)),
      (.init(key: "K"), [:], .init(url: "http://127.0.0.1:8080", key: "K", app: nil)),
      (
        .init(url: "https://a", key: "K"), ["default": standard],
        .init(url: "https://a", key: "K", app: "food")
      ),
      (
        .init(url: "https://a"), ["default": standard],
        .init(url: "https://a", key: nil, app: "food")
      ),
      (
        .init(url: "https://b/", app: "other"), ["default": standard],
        .init(url: "https://b", key: "L", app: "other")
      ),
      (.init(key: "K"), ["default": standard], .init(url: "https://b", key: "K", app: "food")),
      (
        .init(url: "https://a", key: "K", profile: "p"), named,
        .init(url: "https://b", key: "L", app: "food")
      ),
      (
        .init(givenKey: "G", profile: "p"), named,
        .init(url: "https://b", key: "G", app: "food")
      ),
    ] as [(Destination.Wishes, [String: Profile], Destination)])
  func nearestCounts(
    wishes: Destination.Wishes, profiles: [String: Profile], destination: Destination
  ) throws {
    #expect(try Destination(wishes, profiles, file: "f") == destination)
  }

  /// Authorities of a profile are those of its service, and of no other.
  @Test(
    arguments: [
      (.init(), "P"), (.init(authorities: "S"), "S"), (.init(url: "https://a"), nil),
      (.init(url: "https://b"), "P"),
    ] as [(Destination.Wishes, String?)])
  func authoritiesAreSaidOrThoseOfTheProfile(wishes: Destination.Wishes, path: String?) throws {
    let text = #"{"default": {"url": "https://b", "ca_file": "P"}}"#
    let profiles = try Profile.all(Array(text.utf8), file: "f")
    #expect(try Destination(wishes, profiles, file: "f").authorities == path)
  }

  @Test func whatIsNoServiceIsRefused() {
    #expect(throws: Exit(ExitCode.configuration, "f has no profile q.")) {
      try Destination(.init(profile: "q"), Self.named, file: "f")
    }
    #expect(throws: Exit.self) { try Destination(.init(url: "ftp://a"), [:], file: "f") }
  }

  @Test(arguments: [
    ("[]", "f is no JSON object of profiles."), (#"{"a":1}"#, "f: the profile a is no object."),
    (#"{"a":{"url":1}}"#, "f: url of a is no text."),
    (#"{"a":{"token":"t"}}"#, "f: a has token; a profile has url, key, app and ca_file."),
  ])
  func aFileOfProfilesIsReadStrictly(text: String, fault: String) {
    #expect(throws: Exit(ExitCode.configuration, fault)) {
      try Profile.all(Array(text.utf8), file: "f")
    }
  }

  @Test func pathsAreEncoded() {
    #expect(APIPath.app("food", "users", "a/b ü?").text == "/v1/apps/food/users/a%2Fb%20%C3%BC%3F")
    let path = APIPath("apps").with("a[b]", "c&d").with("e", nil).with("f", "")
    #expect(path.text == "/v1/apps?a%5Bb%5D=c%26d&f=")
  }
}
