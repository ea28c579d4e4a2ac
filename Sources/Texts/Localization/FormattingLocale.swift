public import FoundationEssentials
internal import FoundationInternationalization
internal import Synchronization

/// The locale in which numbers and dates are written.
public enum FormattingLocale {
  /// The language of the text with the region and the keywords of the user, as an identifier such
  /// as `fr_CH` or `en_US@rg=gbzzzz`.
  ///
  /// Apple formats numbers by locale, not by the language of the text: a user of `de-CH, fr-CH`
  /// who gets the localization `fr` reads Swiss numbers. `settings` is the user's locale or first
  /// preferred language; where it has no region the localization's own counts: `pt-BR` → `pt_BR`.
  ///
  /// CLDR's root has numbers in the place of months (`2026 M07 1`). So in a language that is
  /// unknown here numbers and dates are those of the user's language, or English.
  public static func identifier(localization: String, settings: String?) -> String {
    var subtags = LocaleSubtags(localization)
    let user = settings.map { LocaleSubtags($0) }
    if subtags.language == LocaleSubtags.unknown, let user { subtags = user }
    if subtags.language == LocaleSubtags.unknown { subtags = LocaleSubtags("en") }
    if let region = user?.region { subtags.region = region }
    subtags.keywords = user?.keywords ?? [:]
    return subtags.identifier
  }

  /// A person's region settings as a device reports them, `fr_CA` or `en_US@rg=gbzzzz`, in the
  /// spellings that `LanguageTag` reads; `nil` for a text that is none, such as `C`. A language
  /// that is
  /// unknown here has two or three letters.
  public static func settings(_ text: String) -> String? {
    let name = text.prefix { $0 != "@" }
    guard let tag = LanguageTag(reading: String(name)) else { return nil }
    let language = tag.text.prefix { $0 != "-" && $0 != "_" }
    guard language.utf8.count <= 3 || LocaleSubtags(tag.text).language != LocaleSubtags.unknown
    else { return nil }
    return tag.text + text[name.endIndex...]
  }

  /// The identifier with hours counted as `h12` or `h23`, whatever it said of them.
  public static func identifier(_ identifier: String, hours: String) -> String {
    var subtags = LocaleSubtags(identifier)
    subtags.keywords[.hours] = hours
    return subtags.identifier
  }

  /// Foundation's locale for an identifier that was made here.
  ///
  /// Foundation keeps a kilobyte for each identifier it ever saw, for as long as the process lives.
  /// There are few identifiers without keywords. With keywords only a limited number is taken, more
  /// than real audiences have; later identifiers lose their keywords.
  public static func foundation(_ identifier: String) -> Locale {
    guard identifier.utf8.contains(UInt8(ascii: "@")) else { return Locale(identifier: identifier) }
    let isTaken = withKeywords.withLock { taken in
      if taken.count < Limits.localesWithKeywords { taken.insert(identifier) }
      return taken.contains(identifier)
    }
    return Locale(identifier: isTaken ? identifier : LocaleSubtags(identifier).place)
  }

  private static let withKeywords = Mutex<Set<String>>([])

  /// The identifier cut down to the parts that exist: language, script and region, old codes and
  /// Apple's long names replaced, and the keywords that ``LocaleSubtags`` has; `root` for an
  /// unknown language.
  static func known(_ text: String) -> String { LocaleSubtags(text).identifier }

  /// Language, script and region alone.
  static func place(_ text: String) -> String { LocaleSubtags(text).place }
}
