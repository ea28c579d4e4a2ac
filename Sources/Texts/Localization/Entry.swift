public import ASCII

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
  /// Whether two say the same, to the byte.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.text(let one), .text(let other)): one.isSpelled(like: other)
    case (.plural(let one), .plural(let other)): one == other
    case (.devices(let one), .devices(let other)): one == other
    case (.widths(let one), .widths(let other)): one == other
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .text(let text): text.hashSpelling(into: &hasher)
    case .plural(let format): hasher.combine(format)
    case .devices(let formats): hasher.combine(formats)
    case .widths(let formats): hasher.combine(formats)
    }
  }

  /// The text for a class of devices; nil when it has none.
  ///
  /// A device without a text of its own gets the text of `other`, and never the text of another
  /// device. Of widths the largest is taken: a notification has no width that a server could know,
  /// and the largest text says the most. An empty text counts only if there is no other.
  public func format(for device: DeviceClass) -> PluralFormat? {
    switch self {
    case .text(let text): return PluralFormat(text)
    case .plural(let format): return format
    case .widths(let formats):
      let formats = formats.filter { !$0.value.text.isEmpty }
      return formats.max { $0.key < $1.key }?.value ?? PluralFormat("")
    case .devices(let formats):
      let own = [formats[device], formats[.other]].compactMap(\.self)
      return own.first { !$0.text.isEmpty } ?? own.first
    }
  }

  /// A choice by device among entries that may vary again; nil when no device has a text.
  ///
  ///     iphone: widths 5 "Tap", 40 "Tap the lamp"     iphone: "Tap the lamp"
  ///
  /// - Parameter others: The entry of devices that are not named.
  public init?(devices: [DeviceClass: Entry], others: Entry? = nil) {
    var formats: [DeviceClass: PluralFormat] = [:]
    for (device, entry) in devices { formats[device] = entry.format(for: device) }
    if formats.isEmpty, others == nil { return nil }
    self = formats.isEmpty ? others ?? .devices([:]) : Entry.devices(formats).completed(by: others)
  }

  /// A choice by width among entries that may vary again; nil when there are none. Where they vary
  /// by device, each device has the largest of its own texts.
  public init?(widths: [Int: Entry]) {
    let devices = widths.values.reduce(into: Set<DeviceClass>()) { $0.formUnion($1.namedDevices) }
    func formats(for device: DeviceClass) -> [Int: PluralFormat] {
      widths.compactMapValues { $0.format(for: device) }
    }
    guard devices.isEmpty else {
      var largest: [DeviceClass: PluralFormat] = [:]
      for device in devices.union([.other]) {
        let own = formats(for: device)
        largest[device] = own.isEmpty ? nil : Entry.widths(own).format(for: device)
      }
      self = .devices(largest)
      return
    }
    if widths.isEmpty { return nil }
    self = .widths(formats(for: .other))
  }

  /// This entry, with a weaker entry's text for devices that this one does not name.
  ///
  ///     mac: "Click"  and  "Press"        mac: "Click", other: "Press"
  public func completed(by weaker: Entry?) -> Entry {
    guard case .devices(let own) = self, own[.other] == nil, let weaker else { return self }
    var formats = own
    if case .devices(let more) = weaker {
      formats.merge(more) { own, _ in own }
    } else {
      formats[.other] = weaker.format(for: .other)
    }
    return .devices(formats)
  }

  private var namedDevices: [DeviceClass] {
    if case .devices(let formats) = self { Array(formats.keys) } else { [] }
  }
}

/// A text whose variables, `%#@name@` or `%2$#@name@`, are replaced by a case of theirs.
///
///     "%1$@ sent %2$#@n@"   n of argument 2: one "%2$d message", other "%2$d messages"
public struct PluralFormat: Sendable, Hashable {
  /// The text, with variables among its placeholders.
  @Spelled public var text: String
  /// The variables by name; a text without any is plain.
  public var variables: [Spelling: PluralVariable]

  /// A text with variables.
  public init(_ text: String, variables: [Spelling: PluralVariable] = [:]) {
    self.text = text
    self.variables = variables
  }
}

/// A part of a text that varies by a number.
public struct PluralVariable: Sendable, Hashable {
  /// The argument that decides, counted from 1. Nil means that the reference in the text says it:
  /// the N of `%N$#@name@`, else the next argument.
  public var argument: Int?
  /// The arguments that its texts show as values, if no text and no reference says which one
  /// decides. Then either one of these decides, or ``argument``, the first one that the texts do
  /// not show.
  public var candidates: [Int]
  /// The specifier of the number without `%`: `d`, `ld`, `lld`, `@`.
  public var specifier: String
  /// The texts by category. They may hold placeholders and other variables; without a position
  /// the first placeholder stands for the variable's own argument.
  public var cases: [PluralCategory: String]

  public init(
    argument: Int? = nil, candidates: [Int] = [], specifier: String,
    cases: [PluralCategory: String]
  ) {
    self.argument = argument
    self.candidates = candidates
    self.specifier = specifier
    self.cases = cases
  }
}

extension PluralVariable {
  /// Whether two say the same, to the byte.
  public static func == (one: Self, other: Self) -> Bool {
    one.argument == other.argument && one.candidates == other.candidates
      && one.specifier.isSpelled(like: other.specifier)
      && one.cases.mapValues(Spelling.init) == other.cases.mapValues(Spelling.init)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(argument)
    hasher.combine(candidates)
    specifier.hashSpelling(into: &hasher)
    hasher.combine(cases.mapValues(Spelling.init))
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
  /// All numbers that no other class holds; every language has it.
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
  /// All devices that have no text of their own; only string catalogs know this class.
  case other
}
