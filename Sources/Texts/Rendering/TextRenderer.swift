import ASCII
import DeviceProfile
import FoundationEssentials
import JSON
import Localization

/// Finds and fills the texts of one alert for one device, on the server.
struct TextRenderer {
  /// A finished text.
  struct Text {
    var text: String
    /// The entry it was made of, unfilled; empty for a literal.
    var format: String
    /// The localization it came from; nil for a literal that is the same for everybody.
    var localization: String?
    /// The localizations there were to choose from.
    var available: [String]
  }

  let arguments: Arguments
  let device: Device
  let catalogs: DeviceCatalogs
  let developmentLanguage: String
  private let fallback: FallbackLanguage?
  /// Whether arguments of the other direction are set apart.
  let isolatesArguments: Bool
  /// The time zone of the device, if arguments depend on it.
  let timeZone: TimeZone
  private let now: Int64
  private(set) var problems: [RenderProblem] = []
  /// Whether other words in the gaps would change more of a text than the word itself.
  private(set) var dependsOnWords = false

  init(
    message: Message, arguments: Arguments, device: Device, catalogs: DeviceCatalogs,
    developmentLanguage: String, now: Int64
  ) {
    self.arguments = arguments
    self.device = device
    self.developmentLanguage = developmentLanguage
    fallback = message.fallbackLanguage.map {
      FallbackLanguage(language: $0, preferred: device.languages)
    }
    self.catalogs = catalogs.falling(back: fallback)
    self.now = now
    isolatesArguments = message.isolatesArguments
    let name = arguments.dependOnTimeZone ? device.timeZone : nil
    let zone = name.flatMap { TimeZone(identifier: $0) }
    timeZone = zone ?? .gmt
    if arguments.dependOnTimeZone && zone == nil {
      problems.append(
        RenderProblem(.timeZoneUnknown, detail: "UTC stands in for the device's"))
    }
  }

  /// The text of a part; nil when there is none anywhere: a raw key is never shown.
  mutating func text(_ part: AlertPart, _ source: TextSource) -> Text? {
    switch source {
    case .key(let keyed): text(KeyPlace(part, keyed), keyed)
    case .literal(let literal): text(part, literal)
    }
  }

  /// The arguments of a text as a device gets them: all are texts, set apart as in `text`.
  mutating func argumentTexts(_ part: AlertPart, _ keyed: KeyedText, of text: Text?) -> [String] {
    let locale = formatLocale(text?.localization ?? deviceLocale)
    return values(keyed.arguments, locale: locale, KeyPlace(part, keyed)).map {
      isolated($0.text(locale: locale), in: text?.format ?? "")
    }
  }

  private mutating func text(_ place: KeyPlace, _ keyed: KeyedText) -> Text? {
    text(of: keyed.key, place) { renderer, locale in
      renderer.values(keyed.arguments, locale: locale, place)
    }
  }

  /// The text of an argument that is a key itself and stands alone; empty when there is none.
  mutating func text(_ part: AlertPart, _ translated: TranslatedText) -> String {
    text(KeyPlace(part), translated)
  }

  /// The text of an argument that is a key itself; empty when there is none.
  private mutating func text(_ place: KeyPlace, _ translated: TranslatedText) -> String {
    let found = text(of: translated.key, place) { renderer, _ in
      translated.arguments.map { argument in
        switch argument {
        case .text(let text): .string(text)
        case .integer(let number): .integer(number)
        case .translated(let inner): .string(renderer.text(place, inner))
        }
      }
    }
    return found?.text ?? ""
  }

  /// The text of a key. Catalogs and their languages are asked in order. The first text counts that
  /// is not empty and has the plural category of the number. If none has it, the first text that is
  /// not empty counts.
  private mutating func text(
    of key: String, _ place: KeyPlace,
    _ values: (inout TextRenderer, _ locale: String) -> [ArgumentValue]
  ) -> Text? {
    var partial: KeyText?
    var isEmpty = false
    let deviceClass = device.platform.deviceClass
    var lacksVariant = false
    for (index, view) in catalogs.views(place.catalog).enumerated() {
      var whole: KeyText?
      let found = Lookup(view.catalog).entry(
        for: key, table: place.table, chain: view.chain
      ) { entry, localization in
        guard let format = entry.format(for: deviceClass) else {
          lacksVariant = true
          return LocalizationProblem(.missingDeviceVariant, detail: deviceClass.rawValue)
        }
        let filled = fill(format, localization, view, place, values)
        guard let fault = filled.fault else {
          whole = filled
          return nil
        }
        if filled.text.text.isEmpty { isEmpty = true } else if partial == nil { partial = filled }
        return fault
      }
      guard let whole else { continue }
      for problem in found.problems { report(problem.code, problem.detail, place.part) }
      return accept(whole, key, place.part, otherThanAsked: index > 0)
    }
    if let partial { return accept(partial, key, place.part, otherThanAsked: false) }
    if lacksVariant { report(.missingDeviceVariant, deviceClass.rawValue, place.part) }
    if isEmpty {
      report(.emptyText, "left out", place.part)
    } else {
      report(.missingKey, key, place.part)
    }
    return nil
  }

  /// Takes a text, and reports its problems.
  private mutating func accept(
    _ found: KeyText, _ key: String, _ part: AlertPart, otherThanAsked isOther: Bool
  ) -> Text {
    if isOther { report(.otherCatalogUsed, "\(key) is not in the catalog asked for", part) }
    if let version = found.nearestVersion { report(.nearestCatalogUsed, version, part) }
    if found.text.format.isSpelled(like: key), key.isIdentifier { report(.keyShown, key, part) }
    if found.isFallback, let language = found.text.localization {
      report(.fallbackLanguageUsed, language, part)
    }
    for problem in found.problems { report(problem.code, problem.detail, problem.part ?? part) }
    return found.text
  }

  /// Fills a format. Its problems are reported only if the text is taken.
  private mutating func fill(
    _ format: PluralFormat, _ localization: String, _ view: CatalogView, _ place: KeyPlace,
    _ values: (inout TextRenderer, _ locale: String) -> [ArgumentValue]
  ) -> KeyText {
    let told = problems
    problems = []
    defer { problems = told }
    let locale = formatLocale(localization)
    let formatter = ServerFormatter(
      locale: locale, rules: view.catalog.pluralRules(localization),
      isolatesArguments: isolatesArguments)
    let filled = formatter.format(format, arguments: values(&self, locale))
    for problem in filled.problems { report(problem.code, problem.detail, place.part) }
    if !filled.problems.isEmpty { dependsOnWords = true }
    let fault =
      filled.text.isEmpty
      ? LocalizationProblem(.emptyText, detail: localization)
      : filled.problems.first { $0.code == LocalizationProblem.Code.missingPluralCase.rawValue }
    return KeyText(
      text: Text(
        text: filled.text, format: format.text, localization: localization,
        available: view.catalog.languages),
      nearestVersion: view.nearestVersion,
      isFallback: view.isFallback && localization == view.chain.first, problems: problems,
      fault: fault)
  }

  private mutating func text(_ part: AlertPart, _ literal: LiteralText) -> Text? {
    if let template = literal.unlocalized {
      return checked(
        part,
        Text(
          text: fill(template, locale: formatLocale(deviceLocale), part), format: "",
          localization: nil, available: []))
    }
    var chain = LanguageMatcher.bundleLocalizations(
      preferred: device.languages, languages: literal.languages,
      developmentLanguage: developmentLanguage)
    let instead = fallback?.chain(
      insteadOf: chain, languages: literal.languages, developmentLanguage: developmentLanguage)
    if let instead, let language = instead.first {
      chain = instead
      report(.fallbackLanguageUsed, language, part)
    }
    let language = chain.first { literal.byLanguage[$0] != nil } ?? literal.languages.first
    guard let language, let template = literal.byLanguage[language] else { return nil }
    return checked(
      part,
      Text(
        text: fill(template, locale: formatLocale(language), part), format: "",
        localization: language, available: literal.languages))
  }

  /// A device takes an empty text for none.
  private mutating func checked(_ part: AlertPart, _ text: Text) -> Text? {
    guard text.text.isEmpty else { return text }
    report(.emptyText, "left out", part)
    return nil
  }

  /// The locale of a text that has no language of its own.
  private var deviceLocale: String {
    device.settings ?? developmentLanguage
  }

  /// The locale of a text's values: the words are those of the text's localization, the habits
  /// those of the device's region.
  ///
  /// Only a locale that exists comes out of this: Foundation keeps each one that it ever saw.
  private func formatLocale(_ localization: String) -> String {
    guard arguments.dependOnLocale else { return localization }
    return FormattingLocale.identifier(localization: localization, settings: device.settings)
  }

  private mutating func fill(_ template: Template, locale: String, _ part: AlertPart) -> String {
    let words = isolatesArguments ? template.filled { _ in nil } : ""
    // A text may name an argument a thousand times, and one may cost a hundred lookups.
    var texts: [String: String] = [:]
    return template.filled { name in
      if let text = texts[name] { return text }
      let value = values([name], locale: locale, KeyPlace(part)).first
      let text = (value?.text(locale: locale)).map { isolated($0, in: words) }
      texts[name] = text
      return text
    }
  }

  private mutating func values(
    _ names: [String], locale: String, _ place: KeyPlace
  ) -> [ArgumentValue] {
    let circumstances = TextCircumstances(locale: locale, timeZone: timeZone, now: now)
    return names.compactMap { name in
      if case .translated(let translated)? = arguments[name] {
        return .string(text(place, translated))
      }
      return arguments.value(name, in: circumstances)
    }
  }

  private func isolated(_ argument: String, in text: String) -> String {
    isolatesArguments ? ServerFormatter.isolated(argument, in: text) : argument
  }

  private mutating func report(
    _ code: LocalizationProblem.Code, _ detail: String, _ part: AlertPart
  ) {
    report(code.rawValue, detail, part)
  }

  private mutating func report(_ code: RenderProblem.Code, _ detail: String, _ part: AlertPart) {
    report(code.rawValue, detail, part)
  }

  private mutating func report(_ code: String, _ detail: String, _ part: AlertPart) {
    guard problems.count < MessageLimits.problems else { return }
    problems.append(RenderProblem(code: code, detail: detail, part: part))
  }
}

/// Where a key is looked for, and for which part.
private struct KeyPlace {
  let part: AlertPart
  let table: String
  let catalog: KeyedText.CatalogChoice

  /// The place of a text.
  init(_ part: AlertPart, _ keyed: KeyedText) {
    self.part = part
    table = keyed.table
    catalog = keyed.catalog
  }

  /// The place of the keys in a literal text, which has none of its own.
  init(_ part: AlertPart) {
    self.part = part
    table = KeyedText.deviceTable
    catalog = .app
  }
}

/// The text of a key in one localization.
private struct KeyText {
  let text: TextRenderer.Text
  /// The version of the catalog, when it stands in for the build's own catalog.
  let nearestVersion: String?
  /// Whether it is in the message's fallback language.
  let isFallback: Bool
  let problems: [RenderProblem]
  /// Why the next localization should be asked.
  let fault: LocalizationProblem?
}

extension String {
  /// Whether it is a name rather than words: `FOOD_READY`, `order.ready`, not `Ready.`.
  fileprivate var isIdentifier: Bool {
    let parts = utf8.split(omittingEmptySubsequences: false) { "_.".utf8.contains($0) }
    return parts.count > 1 && utf8.contains { $0 | 0x20 >= 0x61 }
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
      }
  }
}

extension Platform {
  /// The name that string tables have for a device of the platform.
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
