internal import FoundationEssentials
internal import FoundationInternationalization

/// The parts of a locale's identifier that exist: `en_US@rg=gbzzzz;x=y` → `en`, `US`, `rg=gbzzzz`.
struct LocaleSubtags {
  /// A person's settings beside language and region, as ICU and Foundation read them.
  /// Source: Unicode UTS #35, "Key And Type Definitions"; the names are ICU's.
  enum Keyword: String, CaseIterable {
    /// The calendar: `buddhist`.
    case calendar
    /// How hours count: `h23`, `h12`.
    case hours
    /// The digits: `latn`.
    case numbers
    /// The region whose habits count instead of the region's own: `gbzzzz`.
    case rg
  }

  /// The name for a language that has no data here.
  static let unknown = "root"

  var language = Self.unknown
  var script: String?
  var region: String?
  var keywords: [Keyword: String] = [:]

  init(_ text: String) {
    let text = text.prefix(Limits.localeBytes)
    let name = text.prefix { $0 != "@" && $0 != "." && $0 != ";" }
    let parts = name.split { $0 == "-" || $0 == "_" }
    guard let first = parts.first?.lowercased() else { return }
    let canonical = Self.canonical(first).split(separator: "_")
    guard let known = canonical.first.map(String.init), Self.languages.contains(known) else {
      return
    }
    language = known
    // The identifier's own subtags count before those that its code implies: `sh` is `sr_Latn`.
    for part in parts.dropFirst().prefix(2) + canonical.dropFirst() {
      let titlecase = part.prefix(1).uppercased() + part.dropFirst().lowercased()
      if script == nil, Self.languages.contains("\(language)_\(titlecase)") {
        script = titlecase
      } else if region == nil, Self.regions.contains(part.uppercased()) {
        region = part.uppercased()
      }
    }
    guard let start = text.firstIndex(of: "@") else { return }
    for pair in text[start...].dropFirst().split(separator: ";") {
      let parts = pair.lowercased().split(separator: "=", omittingEmptySubsequences: false).map(
        String.init)
      guard parts.count == 2, let keyword = Keyword(rawValue: parts[0]),
        Self.exists(parts[1], keyword)
      else { continue }
      keywords[keyword] = parts[1]
    }
  }

  /// Language, script and region.
  var place: String {
    guard language != Self.unknown else { return language }
    return [language, script, region].compactMap(\.self).joined(separator: "_")
  }

  /// All of it, the keywords in the order of their names.
  var identifier: String {
    guard !keywords.isEmpty, language != Self.unknown else { return place }
    let pairs = Keyword.allCases.compactMap { keyword in
      keywords[keyword].map { "\(keyword)=\($0)" }
    }
    return place + "@" + pairs.joined(separator: ";")
  }

  private static func exists(_ value: String, _ keyword: Keyword) -> Bool {
    switch keyword {
    case .calendar: calendars.contains(value)
    case .hours: ["h11", "h12", "h23", "h24"].contains(value)
    case .numbers: numberingSystems.contains(value)
    case .rg: value.hasSuffix("zzzz") && regions.contains(value.dropLast(4).uppercased())
    }
  }

  /// The language that a code or a long name of Apple's means, perhaps with a script or region.
  private static func canonical(_ name: String) -> String {
    if languages.contains(name) { return name }
    guard name.utf8.count > 3 else { return canonicalLanguage(name) }
    guard let tag = LanguageTag(name) else { return name }
    return LanguageMatcher.localizations(preferred: [tag], available: longNamed).first ?? name
  }

  /// The languages, and languages with script, that have data: about 300.
  private static let languages = Set(
    Locale.availableIdentifiers.flatMap { identifier -> [String] in
      let parts = identifier.split(separator: "_").map(String.init)
      guard parts.count > 1, parts[1].count == 4 else { return [parts[0]] }
      return [parts[0], parts[0] + "_" + parts[1]]
    })

  /// The languages that the long names of Apple's oldest folders (`English`, `Norwegian`) may mean.
  private static let longNamed = [
    "en", "fr", "de", "it", "nl", "es", "ja", "ar", "da", "fi", "ko", "nb", "pl", "pt", "ru", "sv",
    "th", "tr", "zh_Hans",
  ]

  /// The ISO regions, and the groups of regions that Apple's locales use: about 300.
  private static let regions = Set(Locale.Region.isoRegions.map(\.identifier))
    .union(["001", "150", "419"])

  private static let numberingSystems = Set(
    Locale.NumberingSystem.availableNumberingSystems.map(\.identifier))

  /// The calendars that Foundation has, by ICU's names for them.
  private static let calendars: Set = [
    "buddhist", "chinese", "coptic", "dangi", "ethiopic", "ethiopic-amete-alem", "gregorian",
    "hebrew",
    "indian", "islamic", "islamic-civil", "islamic-tbla", "islamic-umalqura", "iso8601", "japanese",
    "persian", "roc",
  ]
}
