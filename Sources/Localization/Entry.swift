/// What a string table holds under one key.
///
/// A text that varies is one of three things, as Apple's runtime knows them: a format with
/// variables (`NSStringLocalizedFormatKey`), a choice by device (`NSStringDeviceSpecificRuleType`)
/// or a choice by width (`NSStringVariableWidthRuleType`); the choices are made before the plural.
/// Source: Apple, "Localizing strings that contain plurals", "Creating width and device variants
/// of strings"; string catalogs compile to the same.
public enum Entry: Sendable, Hashable {
  /// A plain text, possibly with placeholders.
  case text(String)
  /// A text with variables that vary by number.
  indirect case plural(PluralFormat)
  /// One text per class of device, never empty.
  indirect case devices([DeviceClass: PluralFormat])
  /// One text per width in ems or characters (the unit is the app's), never empty.
  indirect case widths([Int: PluralFormat])
}

extension Entry {
  /// The text for a class of devices, and whether it was written for that class.
  ///
  /// A device without a text of its own gets that of `other`, else of the iPhone, else the first
  /// in the order of `DeviceClass`. Of widths the largest is taken: a notification has no width
  /// that a server could know, and the largest text says the most. An empty one counts as none.
  public func format(for device: DeviceClass) -> (format: PluralFormat, isOwn: Bool) {
    switch self {
    case .text(let text): return (PluralFormat(text), true)
    case .plural(let format): return (format, true)
    case .widths(let formats):
      let formats = formats.filter { !$0.value.text.isEmpty }
      return (formats.max { $0.key < $1.key }?.value ?? PluralFormat(""), true)
    case .devices(let formats):
      let formats = formats.filter { !$0.value.text.isEmpty }
      if let own = formats[device] ?? formats[.other] { return (own, true) }
      let substitute = DeviceClass.allCases.lazy.compactMap { formats[$0] }.first
      return (substitute ?? PluralFormat(""), false)
    }
  }
}

/// A text whose variables, `%#@name@` or `%2$#@name@`, are replaced by a case of theirs.
///
///     "%1$@ sent %2$#@n@"   n of argument 2: one "%2$d message", other "%2$d messages"
public struct PluralFormat: Sendable, Hashable {
  /// The text, with variables among its placeholders.
  public var text: String
  /// The variables by name; a text without any is plain.
  public var variables: [String: PluralVariable]

  /// A text with variables.
  public init(_ text: String, variables: [String: PluralVariable] = [:]) {
    self.text = text
    self.variables = variables
  }
}

/// A part of a text that varies by a number.
public struct PluralVariable: Sendable, Hashable {
  /// The argument that decides, counted from 1; nil is what the reference in the text says: the
  /// N of `%N$#@name@`, else the next argument.
  public var argument: Int?
  /// The specifier of the number without `%`: `d`, `ld`, `lld`, `@`.
  public var specifier: String
  /// The texts by category. They may hold placeholders and other variables; without a position
  /// the first placeholder stands for the variable's own argument.
  public var cases: [PluralCategory: String]

  /// A variable.
  public init(argument: Int? = nil, specifier: String, cases: [PluralCategory: String]) {
    self.argument = argument
    self.specifier = specifier
    self.cases = cases
  }
}

/// A class of numbers that a language treats alike. Source: CLDR, "Language Plural Rules".
public enum PluralCategory: String, Sendable, Hashable, CaseIterable {
  /// In string tables also: the number 0, in any language.
  case zero
  /// As in "1 message".
  case one
  /// As in Arabic or Slovenian.
  case two
  /// As in Polish for 2, 3, 4.
  case few
  /// As in Polish for 5 to 21.
  case many
  /// All that no other class holds; every language has it.
  case other
}

/// A class of devices, as string tables name it.
public enum DeviceClass: String, Sendable, Hashable, CaseIterable {
  case iphone
  case ipad
  case ipod
  case mac
  case applewatch
  case appletv
  case applevision
  /// All that have no text of their own; only string catalogs know it.
  case other
}
