import ASCII
import Localization
import Testing

/// Numbers and plurals as in the United States.
let english = formatter("en_US")

func formatter(
  _ locale: String, language: String? = nil, isolatesArguments: Bool = false
) -> ServerFormatter {
  ServerFormatter(
    locale: locale, rules: PluralRules(localization: language ?? locale),
    isolatesArguments: isolatesArguments)
}

@Suite struct ServerFormatterTests {
  @Test(arguments: [
    ("%@ sent %lld photos", "en_US", "Ann sent 1,234,567 photos"),
    ("%1$@ sent %2$ld photos", "de_DE", "Ann sent 1.234.567 photos"),
    ("%2$d by %1$@", "en_IN", "12,34,567 by Ann"),
    ("%2$@ by %1$@", "de_CH", "1’234’567 by Ann"),
    ("%@ %i", "fa", "Ann ۱٬۲۳۴٬۵۶۷"),
    ("%2$u%%", "en_US", "1,234,567%"),
    ("%1$@: %1$@ %@", "en_US", "Ann: Ann Ann"),
    ("%9$@ or %1$@", "en_US", " or Ann"),
    ("no placeholder, 50%", "en", "no placeholder, 50"),
  ])
  func placeholdersTakeTheirArgumentsAndNumbersAreTheLocales(
    text: String, locale: String, expected: String
  ) {
    let result = formatter(locale).format(
      text, arguments: [.string("Ann"), .integer(1_234_567)])
    #expect(result.text == expected)
  }

  @Test(arguments: [
    ("%@ and %@", "A and ", "missing_argument"),
    ("%3$@!", "!", "missing_argument"),
    ("%.*f", "", "missing_argument"),
    ("%s", "A", "unsupported_specifier"),
    ("%p!", "!", "unsupported_specifier"),
    ("%y!", "y!", "unsupported_specifier"),
    ("%0$@!", "0@!", "unsupported_specifier"),
    ("%1$@ %", "A ", "unsupported_specifier"),
    ("%#@n@!", "A!", "undefined_variable"),
    ("%#@n@%2$#@n@!", "A!", "undefined_variable"),
    ("%5d!", "A!", "argument_not_integer"),
    ("%.2f!", "A!", "argument_not_number"),
    ("%1$@ 50% off", "A 50% off", "unescaped_percent"),
    ("100% sure, %1$@", "100% sure, A", "unescaped_percent"),
    ("%@: 50%-ige", "A: 50%-ige", "unescaped_percent"),
    ("%@: %-tal", "A: %-tal", "unescaped_percent"),
    ("%@: 100%+done", "A: 100%+done", "unescaped_percent"),
  ])
  func whatCannotBeFilledIsReportedAndHasADefinedText(
    text: String, expected: String, code: String
  ) {
    let result = english.format(text, arguments: [.string("A")])
    #expect(result.text == expected)
    #expect(result.problems.map(\.code).contains(code))
    #expect(Set(result.problems.map(\.code)).count == 1)
  }

  @Test func aStringThatIsANumberFillsANumbersSpecifier() {
    let result = english.format("%d", arguments: [.string("1234567")])
    #expect(result.text == "1,234,567")
    #expect(result.problems.isEmpty)
    #expect(english.format("%@", arguments: [.string("1234567")]).text == "1234567")
    for text in ["0x10", "1e3", "inf", "nan", " 1", "1.", ".5", "1,5", "", "-"] {
      #expect(
        english.format("%f", arguments: [.string(text)]).problems.map(\.code)
          == ["argument_not_number"])
    }
  }

  /// Where others have positions, a percent sign before a word has none.
  @Test(arguments: [
    ("%1$d% af", "7% af"), ("%1$d%-os", "7%-os"), ("%1$d %2$ d", "7 8"), ("%d %-2d!", "7 8 !"),
    ("% d", "7"),
  ])
  func aPercentSignBeforeAWordIsNoPlaceholder(text: String, expected: String) {
    #expect(english.format(text, arguments: [.integer(7), .integer(8)]).text == expected)
  }

  @Test(arguments: [
    "50% off", "100%%", "plain", "ends with %", "100% sure", "100%-osan", "Numeriskt %-tal",
    "100%+done",
  ])
  func withoutArgumentsAndPlaceholdersATextStaysAsItIs(text: String) {
    let result = english.format(text, arguments: [])
    #expect(result.text == text)
    #expect(result.problems.isEmpty)
  }

  @Test func withoutArgumentsAPlaceholderIsLeftEmpty() {
    let result = english.format("Hi %@, 100%%", arguments: [])
    #expect(result.text == "Hi , 100%")
    #expect(result.problems == [LocalizationProblem(.missingArgument, detail: "1")])
  }

  @Test func surplusArgumentsAreNoProblem() {
    let result = english.format("%@", arguments: [.string("A"), .integer(2)])
    #expect(result.text == "A")
    #expect(result.problems.isEmpty)
  }

  @Test func aWidthOrPrecisionMayBeAnArgumentAndIsBounded() {
    #expect(
      english.format("[%*d]", arguments: [.integer(5), .integer(42)]).text == "[   42]")
    #expect(
      english.format("[%*d]", arguments: [.integer(-5), .integer(42)]).text == "[42   ]")
    #expect(
      english.format(
        "%.*f", arguments: [.integer(1), .decimal(2.25, text: "", fractionDigits: nil)]
      )
      .text == "2.2")
    let wide = english.format("%*d", arguments: [.integer(.max), .integer(1)]).text
    #expect(wide.utf8.count == 4096)
  }

  @Test func aTextThatGrowsWithoutEndIsCutAndSaysSo() {
    let text = String(repeating: "%1$@", count: 10_000)
    let argument = String(repeating: "x", count: 4000)
    let result = english.format(text, arguments: [.string(argument)])
    #expect(result.text.utf8.count < 80_000)
    #expect(result.problems.map(\.code) == ["expansion_limit"])
  }

  @Test(arguments: [
    ("Hello %@!", "שלום", "Hello \u{2068}שלום\u{2069}!"),
    ("Hello %@!", "Ann", "Hello Ann!"),
    ("Hello %@!", "42", "Hello 42!"),
    ("שלום %@!", "Ann", "שלום \u{2068}Ann\u{2069}!"),
    ("%@", "שלום", "שלום"),
  ])
  func argumentsOfTheOtherDirectionAreSetApartOnDemand(
    text: String, argument: String, expected: String
  ) {
    let isolating = formatter("en", isolatesArguments: true)
    #expect(isolating.format(text, arguments: [.string(argument)]).text == expected)
    #expect(!english.format(text, arguments: [.string(argument)]).text.contains("\u{2068}"))
  }
}

@Suite struct PluralFormatTests {
  static let messages = PluralFormat(
    "%1$@ sent %2$#@n@",
    variables: [
      "n": PluralVariable(
        specifier: "d", cases: [.one: "%2$d message", .other: "%2$d messages"])
    ])

  @Test(arguments: [
    (0, "Ann sent 0 messages"), (1, "Ann sent 1 message"), (21, "Ann sent 21 messages"),
  ])
  func aVariableMayBeOfAnArgumentInTheMiddle(number: Int64, expected: String) {
    let result = english.format(Self.messages, arguments: [.string("Ann"), .integer(number)])
    #expect(result.text == expected)
    #expect(result.problems.isEmpty)
  }

  @Test(arguments: [
    (0, "Ни одного"), (1, "1 сообщение"), (2, "2 сообщения"), (5, "5 сообщений"),
    (21, "21 сообщение"), (1_000_000, "1\u{A0}000\u{A0}000 сообщений"),
  ])
  func theLanguageOfTheTextDecidesAndZeroStandsFor0InAll(
    number: Int64, expected: String
  ) {
    let format = PluralFormat(
      "%#@n@",
      variables: [
        "n": PluralVariable(
          specifier: "lld",
          cases: [
            .zero: "Ни одного", .one: "%lld сообщение", .few: "%lld сообщения",
            .other: "%lld сообщений",
          ])
      ])
    let result = formatter("ru_RU").format(format, arguments: [.integer(number)])
    #expect(result.text == expected)
    #expect(result.problems.isEmpty)
  }

  @Test func inALanguageWithAZeroOfItsOwnThatOneCountsToo() {
    let format = PluralFormat(
      "%#@n@",
      variables: ["n": PluralVariable(specifier: "d", cases: [.zero: "z", .one: "o", .other: "x"])])
    for (number, text) in [
      (0, "z"), (1, "o"), (2, "x"), (10, "z"), (11, "z"), (21, "o"), (22, "x"),
    ] {
      #expect(formatter("lv").format(format, arguments: [.integer(Int64(number))]).text == text)
    }
  }

  @Test func unpositionedVariablesTakeTheirTurn() {
    let variables: [Spelling: PluralVariable] = [
      "files": PluralVariable(
        specifier: "d", cases: [.one: "%d file in %#@folders@", .other: "%d files in %#@folders@"]),
      "folders": PluralVariable(specifier: "d", cases: [.one: "a folder", .other: "%d folders"]),
    ]
    let nested = PluralFormat("%@: %#@files@", variables: variables)
    #expect(
      english.format(nested, arguments: [.string("Ann"), .integer(1), .integer(2)]).text
        == "Ann: 1 file in 2 folders")
    let sideBySide = PluralFormat("%#@folders@, %#@folders@, %@", variables: variables)
    #expect(
      english.format(sideBySide, arguments: [.integer(1), .integer(3), .string("x")]).text
        == "a folder, 3 folders, x")
  }

  @Test func aSubstitutionOfAStringCatalogKnowsItsArgument() {
    let format = PluralFormat(
      "%#@b@ of %#@a@",
      variables: [
        "a": PluralVariable(argument: 1, specifier: "lld", cases: [.other: "%1$lld a"]),
        "b": PluralVariable(argument: 2, specifier: "lld", cases: [.one: "%lld b", .other: "x"]),
      ])
    #expect(english.format(format, arguments: [.integer(7), .integer(1)]).text == "1 b of 7 a")
  }

  @Test func decimalsCountAsTheyAreShown() {
    let format = PluralFormat(
      "%#@n@",
      variables: [
        "n": PluralVariable(specifier: "f", cases: [.one: "%@ mile", .other: "%@ miles"])
      ])
    func text(_ value: ArgumentValue) -> String { english.format(format, arguments: [value]).text }
    #expect(text(.decimal(1, text: "1", fractionDigits: 0)) == "1 mile")
    #expect(text(.decimal(1, text: "1.0", fractionDigits: 1)) == "1.0 miles")
    #expect(text(.decimal(1.5, text: "1.5", fractionDigits: nil)) == "1.5 miles")
    #expect(text(.string("1")) == "1 mile")
    #expect(text(.string("1.0")) == "1.0 miles")
  }

  @Test(arguments: [
    ("f", "%.1f mile", ArgumentValue.integer(1), "1.0 miles"),
    ("f", "%.1f mile", .decimal(1, text: "1", fractionDigits: 0), "1.0 miles"),
    ("f", "%.1f mile", .string("1"), "1.0 miles"), ("lf", "%2$.1lf mile", .integer(1), "1.0 miles"),
    ("f", "%f mile", .integer(1), "1.000000 miles"), ("f", "%.0f mile", .integer(1), "1 mile"),
    ("f", "%.0f mile", .decimal(1.4, text: "1.4", fractionDigits: nil), "1 mile"),
    ("f", "%.0f mile", .decimal(1.5, text: "1.5", fractionDigits: nil), "2 miles"),
    ("g", "%g mile", .decimal(1, text: "1", fractionDigits: 0), "1 mile"),
    ("d", "%d mile", .integer(1), "1 mile"),
    ("f", "%1$@: %2$.1f mile", .integer(1), "x: 1.0 miles"),
    (".1f", "one mile", .integer(1), "one miles"),
  ])
  func aPluralCountsTheDecimalsThatItsTextShows(
    specifier: String, one: String, value: ArgumentValue, text: String
  ) {
    let variable = PluralVariable(
      argument: 2, specifier: specifier, cases: [.one: one, .other: one + "s"])
    let format = PluralFormat("%#@n@", variables: ["n": variable])
    #expect(english.format(format, arguments: [.string("x"), value]).text == text)
  }

  @Test func whatIsMissingOrNoNumberIsToldAndSomethingIsShown() {
    let noNumber = english.format(Self.messages, arguments: [.string("Ann"), .string("many")])
    #expect(noNumber.text == "Ann sent many messages")
    #expect(noNumber.problems.map(\.code) == ["argument_not_number", "argument_not_integer"])
    let missing = english.format(Self.messages, arguments: [.string("Ann")])
    #expect(missing.text == "Ann sent  messages")
    #expect(Set(missing.problems.map(\.code)) == ["missing_argument"])
    let caseless = PluralFormat(
      "%#@n@!", variables: ["n": PluralVariable(specifier: "d", cases: [.one: "one"])])
    let result = english.format(caseless, arguments: [.integer(2)])
    #expect(result.text == "one!")
    #expect(result.problems == [LocalizationProblem(.missingPluralCase, detail: "n.other")])
  }

  @Test func anEmptyCaseHidesAPartOfATextAndNeverAllOfIt() {
    let variable = PluralVariable(
      specifier: "d", cases: [.zero: "", .one: "", .other: "%d more"])
    func text(_ format: String, _ number: Int64) -> String {
      let format = PluralFormat(format, variables: ["n": variable])
      return english.format(format, arguments: [.integer(number)]).text
    }
    #expect(text("Ann%#@n@", 1) == "Ann")
    #expect(text("%#@n@", 0) == "0 more")
    #expect(text("%#@n@", 1) == "1 more")
    #expect(text("%#@n@", 2) == "2 more")
  }

  @Test func variablesThatHoldEachOtherEnd() {
    let twice = PluralVariable(specifier: "d", cases: [.other: "%#@n@%#@n@%#@n@%#@n@"])
    let result = english.format(
      PluralFormat("%#@n@", variables: ["n": twice]), arguments: [.integer(1)])
    #expect(result.text == "")
    #expect(result.problems.map(\.code).contains("expansion_limit"))
  }

  @Test func aDeviceGetsItsOwnTextOrThatOfOtherAndNeverAnothers() {
    let entry = Entry.devices([.ipad: PluralFormat("pad"), .other: PluralFormat("any")])
    #expect(entry.format(for: .ipad)?.text == "pad")
    #expect(entry.format(for: .mac)?.text == "any")
    let without = Entry.devices([.ipad: PluralFormat("pad"), .iphone: PluralFormat("")])
    #expect(without.format(for: .mac) == nil)
    #expect(without.format(for: .iphone)?.text == "")
    let widths = Entry.widths([1: PluralFormat("Hi"), 53: PluralFormat("Greetings")])
    #expect(widths.format(for: .iphone)?.text == "Greetings")
  }

  /// Devices of widths, widths of devices, and what a weaker entry adds.
  @Test(
    arguments: [
      (Entry(devices: [.iphone: short, .mac: .text("Click")]), "Tap the lamp", nil, "Click"),
      (
        Entry(devices: [.iphone: short], others: .text("Press")), "Tap the lamp", "Press", "Press"
      ),
      (
        Entry(widths: [5: .text("Tap"), 40: .text("Tap the lamp")]), "Tap the lamp", "Tap the lamp",
        "Tap the lamp"
      ),
      (
        Entry(widths: [
          5: .text("Tap"), 40: .devices([.mac: PluralFormat("Click the lamp")]),
        ]), "Tap", "Tap", "Click the lamp"
      ),
      (
        Entry.devices([.mac: PluralFormat("Click")]).completed(
          by: .devices([.mac: PluralFormat("Old"), .ipad: PluralFormat("Pad")])), nil, "Pad",
        "Click"
      ),
      (Entry.text("Own").completed(by: .text("Weaker")), "Own", "Own", "Own"),
      (Entry(devices: [:]), nil, nil, nil), (Entry(widths: [:]), nil, nil, nil),
    ] as [(Entry?, String?, String?, String?)])
  func choicesWithinChoicesAreMadeForEachDevice(
    entry: Entry?, iphone: String?, ipad: String?, mac: String?
  ) {
    #expect(entry?.format(for: .iphone)?.text == iphone)
    #expect(entry?.format(for: .ipad)?.text == ipad)
    #expect(entry?.format(for: .mac)?.text == mac)
  }

  private static let short = Entry.widths([
    5: PluralFormat("Tap"), 40: PluralFormat("Tap the lamp"),
  ])
}
