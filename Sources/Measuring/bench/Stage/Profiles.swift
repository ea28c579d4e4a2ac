/// What the installations of a stage report: number n has the profile n modulo their count.
///
/// They are as uneven as those of an app in many countries: forty languages by weight, of which
/// those that are not English have a second one behind them in half of the profiles, builds and
/// thirty systems of which the newest have most, 3 % without a token and 5 % with one for VoIP.
///
/// A profile is the body of a `PUT` as a format of C: the APNs token, the VoIP token, the app
/// version and the number of the user take the places of `%s` and `%08d`. `%.0s` takes a value and
/// writes nothing. So a script of wrk makes a body by one call, and ``ReportFormat`` reads the same
/// lines.
enum Profiles: String, CaseIterable, Sendable {
  /// As an app in many countries has them: twenty regions, twelve time zones, thirty builds, and
  /// permissions of several kinds. Nearly no two of a thousand devices are alike.
  case mixed
  /// One region, one time zone, five builds and the same permissions for all. So many devices are
  /// alike that what is remembered of one serves hundreds of others. For comparison with figures
  /// from before.
  case uniform

  /// So many: of the uniform ones that a language of the least weight has one.
  var count: Int { self == .mixed ? 20_000 : Self.spreadCount }
  /// Languages repeat after so many.
  private static let spreadCount = 500

  /// One line for each.
  var lines: [String] { (0..<count).map(line) }

  /// The number of an installation that has a token and speaks German.
  static let german = 1

  /// Each language of 500 profiles, by how many have it.
  private static let languages: [(tag: String, weight: Int)] = [
    ("en-US", 130), ("de-DE", 38), ("ja-JP", 36), ("zh-Hans-CN", 34), ("es-MX", 28),
    ("fr-FR", 26), ("en-GB", 24), ("pt-BR", 22), ("es-ES", 14), ("ko-KR", 14), ("it-IT", 13),
    ("zh-Hant-TW", 11), ("ru-RU", 10), ("en-IN", 9), ("fr-CA", 8), ("tr-TR", 7), ("nl-NL", 7),
    ("pl-PL", 6), ("en-CA", 6), ("zh-Hant-HK", 5), ("ar-SA", 5), ("sv-SE", 5), ("en-AU", 4),
    ("th-TH", 4), ("vi-VN", 4), ("id-ID", 3), ("da-DK", 3), ("nb-NO", 3), ("de-AT", 3),
    ("de-CH", 2), ("fi-FI", 2), ("pt-PT", 2), ("cs-CZ", 2), ("el-GR", 2), ("he-IL", 2),
    ("uk-UA", 2), ("hu-HU", 1), ("ro-RO", 1), ("hi-IN", 1), ("ca-ES", 1),
  ]
  private static let uniformBuilds = ["412", "411", "409", "405", "398"]
  private static let builds = (0..<30).map { "\(412 - $0)" }
  private static let systems =
    ["17.4.1", "17.4", "17.3.1", "16.7.7", "17.2.1", "15.8.2"]
    + (0..<8).map { "17.\($0).2" } + (0..<8).map { "16.\($0).3" } + (0..<8).map { "15.\($0).1" }
  private static let locales = [
    "en_US", "de_DE", "ja_JP", "zh_CN", "es_MX", "fr_FR", "en_GB", "pt_BR", "es_ES", "ko_KR",
    "it_IT", "zh_TW", "ru_RU", "en_IN", "fr_CA", "tr_TR", "nl_NL", "ar_SA", "de_CH", "en_HK",
  ]
  private static let timeZones = [
    "America/New_York", "Europe/Berlin", "Asia/Tokyo", "Asia/Shanghai", "America/Mexico_City",
    "Europe/London", "America/Sao_Paulo", "Asia/Kolkata", "America/Los_Angeles", "Asia/Seoul",
    "Australia/Sydney", "Asia/Hong_Kong",
  ]
  /// What people allow, of ten. Nobody denied everything: that is a refusal and no rendering.
  private static let permissions =
    Array(repeating: #""authorized","alert":true,"badge":true,"sound":true"#, count: 6)
    + [
      #""authorized","alert":true,"badge":true,"sound":false"#,
      #""authorized","alert":true,"badge":false,"sound":false"#,
      #""provisional","alert":true,"badge":true,"sound":true"#,
      #""ephemeral","alert":true,"badge":true,"sound":false"#,
    ]
  private static let uniformPermissions =
    #""authorized","alert":true,"badge":true,"sound":false"#

  private func line(_ number: Int) -> String {
    var spread = Spread(seed: number)
    let language = Self.language(number)
    let second = spread.next(below: 2) == 0 ? #","en-\#(language.suffix(2))""# : ""
    let languages = language.hasPrefix("en") ? #""\#(language)""# : #""\#(language)"\#(second)"#
    let builds = self == .mixed ? Self.builds[...] : Self.uniformBuilds[...]
    // The lower of two is often a low one.
    let build = builds[min(spread.next(below: builds.count), spread.next(below: builds.count))]
    let system = Self.systems[min(spread.next(below: 30), spread.next(below: 30))]
    // Of 100 installations in order, three have no token and five have two.
    let credentials =
      switch number % 100 {
      case 31, 57, 83: "%.0s%.0s"
      case 7, 23, 44, 65, 91: #""apns":{"token":"%s"},"voip":{"token":"%s"}"#
      default: #""apns":{"token":"%s"}%.0s"#
      }
    let isMixed = self == .mixed
    let locale = isMixed ? Self.locales[spread.next(below: 20)] : "en_HK"
    let zone = isMixed ? Self.timeZones[spread.next(below: 12)] : "Asia/Hong_Kong"
    let permissions =
      isMixed ? Self.permissions[spread.next(below: 10)] : Self.uniformPermissions
    return #"{"platform":"ios","environment":"production","credentials":{\#(credentials)},"#
      + #""languages":[\#(languages)],"locale":"\#(locale)","time_zone":"\#(zone)","#
      + #""app_version":"%s","app_build":"\#(build)","os_version":"\#(system)","#
      + #""device_model":"iPhone15,2","localization":"auto","#
      + #""capabilities":["loc-key","mutable-content"],"#
      + #""authorization":{"status":\#(permissions),"#
      + #""critical_alert":false,"time_sensitive":true},"user":{"id":"u%08d"},"tags":["beta"],"#
      + #""attributes":{"plan":"pro"},"reported_at":"2025-05-02T19:32:41Z"}"#
  }

  /// Scattered over the numbers: 187 and 500 have no divisor in common, so that each place comes
  /// once. Number 1 has place 130, the first that is German.
  private static func language(_ number: Int) -> String {
    var place = (number * 187 + 443) % spreadCount
    for (tag, weight) in languages {
      if place < weight { return tag }
      place -= weight
    }
    return "en-US"
  }

  /// Numbers that look random and are the same in every run (SplitMix64).
  private struct Spread {
    private var state: UInt64

    init(seed: Int) { state = UInt64(seed) }

    mutating func next(below bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
  }
}
