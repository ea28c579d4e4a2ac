import ASCII
public import JSON
public import Localization

/// A warning about a message: a catalog lacks something that the message wants, or the message says
/// something that may be meant otherwise. It can be sent all the same: a text that cannot be shown
/// well falls back.
public struct MessageWarning: Sendable, Hashable {
  /// The kinds of warning; the raw values are stable and part of the API.
  public enum Code: String, Sendable, CaseIterable {
    /// No localization of the catalog has the key, or there is no such catalog.
    case unknownKey = "unknown_key"
    /// Some localizations lack the key that others have.
    case missingInLanguage = "missing_in_language"
    /// An entry asks for more arguments than `args` names.
    case argumentCount = "argument_count"
    /// An entry writes a number, or varies by one, and the parameter is not such a number.
    case argumentType = "argument_type"
    /// No entry of the key uses the argument.
    case unusedArgument = "unused_argument"
    /// A parameter stands in two braces, as other services write it: it is shown, and not filled.
    case doubleBraces = "double_braces"
    /// Nothing of the message uses a parameter that it declares.
    case unusedParameter = "unused_parameter"
  }

  public var code: Code
  /// Where in the message, RFC 6901: `/alert/body/key`.
  public var pointer: String
  /// The version of the catalog; nil when the app has none.
  public var catalog: String?
  /// The localizations that it concerns, the first ``MessageLimits/warnedLanguages`` of them; empty
  /// when it concerns all.
  public var languages: [String] = []
  /// What was seen: a key or a number. Never a text.
  public var detail: String

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("pointer", pointer)
      writer.member("code", code.rawValue)
      writer.member("catalog", catalog)
      writer.member("languages", languages)
      writer.member("detail", detail)
    }
  }
}

/// Compares the keys of a message, and the arguments that it gives them, with catalogs.
public struct MessageCheck: Sendable {
  private let texts: [CheckedText]
  /// The warnings that do not depend on catalogs.
  public let warnings: [MessageWarning]

  public init(_ message: Message) {
    warnings = message.braceWarnings + message.unusedParameters
    texts = message.placedTexts.flatMap { pointer, text in
      text.branches.compactMap { word, source in
        guard case .key(let keyed) = source else { return nil }
        return CheckedText(
          pointer: pointer,
          keyPlace: word.map { "key/" + escapedPointer($0) } ?? "key",
          keyed: keyed,
          types: keyed.arguments.map { message.parameters[$0]?.type ?? .string })
      }
    }
  }

  /// Whether it has keys that are looked for in such a catalog first.
  public func asks(_ choice: KeyedText.CatalogChoice) -> Bool {
    texts.contains { $0.keyed.catalog == choice }
  }

  /// The warnings about the keys that are looked for in such a catalog.
  ///
  /// - Parameters:
  ///   - choice: the kind of keys that are compared.
  ///   - catalog: the catalog that they are compared with; nil when the app has none.
  ///   - version: the catalog's name.
  public func warnings(
    _ choice: KeyedText.CatalogChoice, in catalog: Catalog?, version: String?
  ) -> [MessageWarning] {
    texts.filter { $0.keyed.catalog == choice }.flatMap { text in
      var comparison = Comparison(text: text, version: version)
      comparison.compare(catalog)
      return comparison.warnings
    }
  }
}

extension Message {
  /// Parameters in two braces, a warning for all languages of a text.
  fileprivate var braceWarnings: [MessageWarning] {
    var warnings: [MessageWarning] = []
    for placed in templates {
      for name in placed.template.namesInBraces(among: parameters.keys) {
        let detail = "`{{` is a brace, and not filled: write `{\(name)}` for the value."
        let languages = placed.language.map { [$0] } ?? []
        let known = warnings.firstIndex {
          $0.pointer.isSpelled(like: placed.pointer) && $0.detail.isSpelled(like: detail)
        }
        if let known {
          warnings[known].languages += languages
        } else {
          warnings.append(
            MessageWarning(
              code: .doubleBraces, pointer: placed.pointer, languages: languages, detail: detail))
        }
      }
    }
    return warnings.map { warning in
      var warning = warning
      let languages = Set(warning.languages).sorted()
      warning.languages = Array(languages.prefix(MessageLimits.warnedLanguages))
      return warning
    }
  }

  /// Parameters that nothing uses.
  fileprivate var unusedParameters: [MessageWarning] {
    let used = usedParameters
    return parameters.keys.filter { !used.contains($0) }.sorted().map { name in
      MessageWarning(
        code: .unusedParameter, pointer: "/parameters/" + escapedPointer(name),
        detail: "Nothing of the message uses `\(name)`.")
    }
  }
}

/// A text with a key.
private struct CheckedText {
  let pointer: String
  /// Where the key stands below it.
  let keyPlace: String
  let keyed: KeyedText
  /// The types of its arguments.
  let types: [ParameterType]
}

/// One text beside one catalog.
private struct Comparison {
  let text: CheckedText
  let version: String?
  private(set) var warnings: [MessageWarning] = []

  private var key: String { text.keyed.key }

  mutating func compare(_ catalog: Catalog?) {
    guard let catalog else {
      return add(.unknownKey, at: text.keyPlace, "There is no catalog to look for \(key) in.")
    }
    var missing: [String] = []
    var entries: [Use] = []
    for language in catalog.languages {
      let entry = catalog.entry(key, table: text.keyed.table, localization: language)
      if let entry, !entry.isEmpty {
        entries.append((language, entry.argumentUses(text.types)))
      } else {
        missing.append(language)
      }
    }
    guard !entries.isEmpty else {
      return add(
        .unknownKey, at: text.keyPlace, "No localization has \(key) in \(text.keyed.table).")
    }
    if !missing.isEmpty {
      let detail = "\(missing.count) of \(catalog.languages.count) localizations lack \(key)."
      add(.missingInLanguage, at: text.keyPlace, in: missing, detail)
    }
    compareCount(entries)
    for index in text.types.indices {
      compareArgument(
        index,
        entries.map { entry in
          (entry.language, entry.uses.filter { $0.argument == index + 1 })
        })
    }
  }

  /// The uses of arguments in one localization.
  private typealias Use = (language: String, uses: Set<ArgumentUse>)

  private mutating func compareCount(_ entries: [Use]) {
    let given = text.types.count
    let short = entries.filter { $0.uses.contains { $0.argument > given } }
    guard let most = short.flatMap(\.uses).map(\.argument).max() else { return }
    let detail = "\(key) asks for argument \(most), and there are \(given)."
    add(.argumentCount, at: "args", in: short.map(\.language), detail)
  }

  private mutating func compareArgument(_ index: Int, _ entries: [Use]) {
    let (place, name, type) = ("args/\(index)", text.keyed.arguments[index], text.types[index])
    if entries.allSatisfy(\.uses.isEmpty) {
      add(.unusedArgument, at: place, "No localization of \(key) uses `\(name)`.")
    }
    let unfit = entries.filter { !$0.uses.allSatisfy { type.serves($0.conversion) } }
    guard let first = unfit.first else { return }
    let number = first.uses.contains { $0.conversion.isWhole } ? "a whole number" : "a number"
    let detail = "\(key) needs \(number), but `\(name)` is not declared as one."
    add(.argumentType, at: place, in: unfit.map(\.language), detail)
  }

  private mutating func add(
    _ code: MessageWarning.Code, at place: String, in languages: [String] = [], _ detail: String
  ) {
    warnings.append(
      MessageWarning(
        code: code, pointer: "\(text.pointer)/\(place)", catalog: version,
        languages: Array(languages.prefix(MessageLimits.warnedLanguages)), detail: detail))
  }
}

extension Entry {
  /// Whether it is empty on every device, so that another language stands in.
  fileprivate var isEmpty: Bool {
    DeviceClass.allCases.allSatisfy { format(for: $0)?.text.isEmpty ?? true }
  }

  /// The uses of arguments in all its texts that a device can show.
  fileprivate func argumentUses(_ types: [ParameterType]) -> Set<ArgumentUse> {
    let formats = Set(DeviceClass.allCases.compactMap { format(for: $0) })
    return formats.reduce(into: []) { uses, format in
      uses.formUnion(
        format.argumentUses { types.indices.contains($0 - 1) && types[$0 - 1].isNumber })
    }
  }
}

extension ParameterType {
  /// Whether its values are numbers in a text.
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .decimal, .percent, .currency: true
    default: false
    }
  }

  /// Whether a placeholder of this conversion can show the values.
  fileprivate func serves(_ conversion: FormatSpecifier.Conversion) -> Bool {
    switch conversion {
    // A placeholder that no argument can fill is a fault of the catalog.
    case .object, .pointedText, .pointer: true
    case .integer, .hexadecimal, .octal, .character: self == .integer
    case .fixed, .scientific, .general, .hexadecimalFloat, .variable: isNumber
    }
  }
}
