import FoundationEssentials
import JSON
import Localization

/// Finds and fills the texts of one alert for one device, on the server.
struct TextRenderer {
  /// A finished text.
  struct Text {
    var text: String
    /// The localization it came from; nil for a literal that is the same for everybody.
    var localization: String?
    /// The localizations there were to choose from.
    var available: [String]
  }

  let arguments: Arguments
  let device: Device
  let catalogs: Catalogs
  let developmentLanguage: String
  private let timeZone: TimeZone
  private(set) var problems: [RenderProblem] = []

  init(arguments: Arguments, device: Device, catalogs: Catalogs, developmentLanguage: String) {
    self.arguments = arguments
    self.device = device
    self.catalogs = catalogs
    self.developmentLanguage = developmentLanguage
    let name = arguments.dependOnTimeZone ? device.timeZone : nil
    let zone = name.flatMap { TimeZone(identifier: $0) }
    timeZone = zone ?? .gmt
    if arguments.dependOnTimeZone && zone == nil {
      problems.append(
        RenderProblem(code: "time_zone_unknown", detail: "UTC stands in for the device's"))
    }
  }

  /// The text of a part; nil when there is none anywhere: a raw key is never shown.
  mutating func text(_ part: AlertPart, _ source: TextSource) -> Text? {
    switch source {
    case .key(let keyed): text(part, keyed)
    case .literal(let literal): text(part, literal)
    }
  }

  /// The arguments of a text as a device gets them: all are texts.
  func argumentTexts(_ keyed: KeyedText, localization: String?) -> [String] {
    let locale = formatLocale(localization ?? deviceLocale)
    return values(keyed.arguments, locale: locale).map { $0.text(locale: locale) }
  }

  private mutating func text(_ part: AlertPart, _ keyed: KeyedText) -> Text? {
    for (index, view) in catalogs.views(keyed.catalog).enumerated() {
      let found = Lookup(view.catalog).entry(for: keyed.key, table: keyed.table, chain: view.chain)
      guard let entry = found.entry, let localization = found.localization else { continue }
      if index > 0 {
        report("other_catalog_used", "\(keyed.key) is not in the catalog asked for", part)
      }
      let variant = entry.format(for: device.platform.deviceClass)
      if !variant.isOwn {
        report(.missingDeviceVariant, device.platform.deviceClass.rawValue, part)
      }
      let locale = formatLocale(localization)
      let formatter = ServerFormatter(
        locale: locale, rules: view.catalog.pluralRules(localization))
      let filled = formatter.format(
        variant.format, arguments: values(keyed.arguments, locale: locale))
      for problem in found.problems + filled.problems {
        report(problem.code, problem.detail, part)
      }
      return checked(
        part,
        Text(text: filled.text, localization: localization, available: view.catalog.languages))
    }
    report("missing_key", keyed.key, part)
    return nil
  }

  private mutating func text(_ part: AlertPart, _ literal: LiteralText) -> Text? {
    if let template = literal.unlocalized {
      let locale = formatLocale(deviceLocale)
      return checked(
        part, Text(text: fill(template, locale: locale), localization: nil, available: []))
    }
    let chain = LanguageMatcher.bundleLocalizations(
      preferred: device.languages, languages: literal.languages,
      developmentLanguage: developmentLanguage)
    let language = chain.first { literal.byLanguage[$0] != nil } ?? literal.languages.first
    guard let language, let template = literal.byLanguage[language] else { return nil }
    return checked(
      part,
      Text(
        text: fill(template, locale: formatLocale(language)), localization: language,
        available: literal.languages))
  }

  /// A device takes an empty text for none.
  private mutating func checked(_ part: AlertPart, _ text: Text) -> Text? {
    guard text.text.isEmpty else { return text }
    report("empty_text", "left out", part)
    return nil
  }

  /// The locale of a text that has no language of its own.
  private var deviceLocale: String {
    device.locale ?? device.languages.first?.text ?? developmentLanguage
  }

  /// The words are those of the text's localization, the habits those of the device's region.
  ///
  /// Only a locale that exists comes out of this: Foundation keeps each one that it ever saw.
  private func formatLocale(_ localization: String) -> String {
    guard arguments.dependOnLocale else { return localization }
    let settings = device.locale.flatMap { LanguageTag($0) }.map { [$0] } ?? device.languages
    return FormattingLocale.identifier(localization: localization, preferred: settings)
  }

  private func fill(_ template: Template, locale: String) -> String {
    template.filled {
      arguments.value($0, locale: locale, timeZone: timeZone)?.text(locale: locale)
    }
  }

  private func values(_ names: [String], locale: String) -> [ArgumentValue] {
    names.compactMap { arguments.value($0, locale: locale, timeZone: timeZone) }
  }

  private mutating func report(
    _ code: LocalizationProblem.Code, _ detail: String, _ part: AlertPart
  ) {
    report(code.rawValue, detail, part)
  }

  private mutating func report(_ code: String, _ detail: String, _ part: AlertPart) {
    problems.append(RenderProblem(code: code, detail: detail, part: part))
  }
}

extension Device.Platform {
  /// What string tables call a device of the platform.
  fileprivate var deviceClass: DeviceClass {
    switch self {
    case .ios: .iphone
    case .ipados: .ipad
    case .macos: .mac
    case .tvos: .appletv
    case .watchos: .applewatch
    case .visionos: .applevision
    }
  }
}
