/// Which service is called, with which key, and about which app.
struct Destination: Equatable {
  /// Without a slash at the end.
  var url: String
  var key: String?
  var app: String?
  /// The path of a file with the certificates that are trusted, instead of the system's.
  var authorities: String?

  /// What the command line and the environment say.
  struct Wishes: Equatable {
    var url: String?
    var key: String?
    /// The key of a file that the command line names: it counts before that of a profile.
    var givenKey: String?
    var app: String?
    /// The path of a file with trusted certificates.
    var authorities: String?
    /// The name of a profile.
    var profile: String?
  }

  /// Where `postilion serve` listens unless it is told otherwise.
  static let standardURL = "http://127.0.0.1:8080"
}

extension Destination {
  /// What is nearer to the call counts: a profile that is named, else what was said, else the
  /// profile `default`. The key of a profile goes to the address of the profile and nowhere else.
  ///
  /// | wishes | profiles | url | key |
  /// |---|---|---|---|
  /// | nothing | none | the standard | none |
  /// | url A, key K | default: B, L | A | K |
  /// | url A | default: B, L | A | none |
  /// | key K | default: B, L | B | K |
  /// | url A, key K, profile p | p: B, L | B | L |
  /// | key file G, profile p | p: B, L | B | G |
  init(_ wishes: Wishes, _ profiles: [String: Profile], file: String) throws(Exit) {
    let named = wishes.profile.map { profiles[$0] }
    if let name = wishes.profile, named == .some(nil) {
      throw Exit(ExitCode.configuration, "\(file) has no profile \(name).")
    }
    let standard = profiles["default"]
    let profile = named ?? standard
    let said = named == nil ? wishes.url : nil
    url = Self.trimmed(said ?? profile?.url ?? wishes.url ?? Self.standardURL)
    let isOfProfile = url == Self.trimmed(profile?.url ?? Self.standardURL)
    let known =
      named != nil
      ? profile?.key ?? wishes.key : wishes.key ?? (isOfProfile ? profile?.key : nil)
    key = wishes.givenKey ?? known
    app = wishes.app ?? profile?.app
    authorities = wishes.authorities ?? (isOfProfile ? profile?.authorities : nil)
    guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
      throw Exit(
        ExitCode.usage, "\(url) is no address of a service; one begins with https:// or http://.")
    }
  }

  private static func trimmed(_ url: String) -> String {
    var url = url
    while url.hasSuffix("/") { url.removeLast() }
    return url
  }
}
