import DeviceProfile
import JSON
import Localization
import Rendering
import Testing

@Suite struct ArgumentTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var parameter: String
    var value: String
    var locale = "en_US"
    var text: String
    var testDescription: String { "\(parameter) \(value) \(locale)" }
  }

  static let moment = #""2022-05-02T19:32:41Z""#

  static let rows = [
    Row(parameter: #""type": "string""#, value: #""50% {x}""#, text: "50% {x}"),
    Row(parameter: #""type": "integer""#, value: "1234567", locale: "de_DE", text: "1.234.567"),
    Row(parameter: #""type": "decimal""#, value: "1234.5", locale: "de_DE", text: "1.234,5"),
    Row(
      parameter: #""type": "decimal", "minimum_fraction_digits": 2"#, value: "3", text: "3.00"),
    Row(
      parameter: #""type": "decimal", "maximum_fraction_digits": 0"#, value: "2.6", text: "3"),
    Row(parameter: #""type": "percent""#, value: "0.25", locale: "fr_FR", text: "25 %"),
    Row(parameter: #""type": "percent""#, value: "1", text: "100%"),
    Row(parameter: #""type": "currency", "currency": "EUR""#, value: "9.9", text: "€9.90"),
    Row(
      parameter: #""type": "currency", "currency": "JPY""#, value: "1200", locale: "ja_JP",
      text: "¥1,200"),
    Row(parameter: #""type": "date", "time": "short""#, value: moment, text: "3:32 PM"),
    Row(
      parameter: #""type": "date", "time": "short""#, value: moment, locale: "fr_CA",
      text: "15:32"),
    Row(
      parameter: #""type": "date", "date": "short""#, value: "1651519961", text: "5/2/22"),
    Row(parameter: #""type": "date""#, value: moment, text: "May 2, 2022 at 3:32 PM"),
    Row(
      parameter: #""type": "date", "date": "full""#, value: #""2022-05-02T23:32:41.5-04:00""#,
      text: "Monday, May 2, 2022"),
    Row(parameter: #""type": "duration""#, value: "3900", text: "1 hour, 5 minutes"),
    Row(
      parameter: #""type": "duration", "width": "narrow""#, value: "65", locale: "fr_FR",
      text: "1min 5s"),
    Row(parameter: #""type": "list""#, value: #"["A", "B", "C"]"#, text: "A, B, and C"),
    Row(
      parameter: #""type": "list", "kind": "or""#, value: #"["A", "B"]"#, locale: "de_DE",
      text: "A oder B"),
  ]

  @Test(arguments: rows)
  func anArgumentIsWrittenAsTheDevicesRegionAndTimeZoneDo(row: Row) throws {
    var scene = Scene(
      #"{"alert": "{value}", "parameters": {"value": {\#(row.parameter)}}}"#)
    scene.arguments = #"{"value": \#(row.value)}"#
    scene.device.locale = row.locale
    scene.device.timeZone = "America/Toronto"
    let request = try scene.render()
    // ICU separates with several kinds of space, which differ from one release to the next.
    let plain = request.payloadText.replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
      .replacing("\u{FFE5}", with: "¥")
    #expect(plain == #"{"aps":{"alert":"\#(row.text)"}}"#)
    #expect(request.codes == [])
  }

  @Test(arguments: [
    ("date", #""2022-05-02""#), ("date", #""2022-05-02T19:32:41""#),
    ("date", #""2022-05-02T19:32:41Zulu""#), ("date", #""2022-13-02T19:32:41Z""#),
    ("date", "99999999999999"), ("date", "1.5"), ("duration", "-1"), ("duration", "\"1\""),
    ("list", #"["a", 1]"#), ("list", #""a""#), ("decimal", #""1.5""#), ("percent", "true"),
    ("integer", "1.5"), ("string", "1"), ("date", #""2026-02-30T12:00:00Z""#),
    ("date", #""2026-02-29T12:00:00Z""#), ("date", #""2026-04-31T12:00:00+02:00""#),
    ("date", #""2026-01-01T24:00:00Z""#), ("date", #""0000-12-31T00:00:00Z""#),
  ])
  func anArgumentThatItsParameterCannotTakeIsRefused(type: String, value: String) throws {
    let message = try Message(parsing: #"{"parameters": {"value": {"type": "\#(type)"}}}"#)
    let failure = #expect(throws: InputFailure.self) {
      try Arguments(parsing: #"{"value": \#(value)}"#, for: message)
    }
    #expect(failure?.problems.map(\.code) == ["wrong_type"])
  }

  /// What 64 bits do not hold is not rounded.
  @Test(arguments: [
    ("integer", "18446744073709551615"), ("decimal", "18446744073709551615"),
    ("decimal", "9007199254740993"), ("percent", "0.12345678901234567890123"),
    ("currency", "12345678901234567.89"), ("duration", "99999999999999999999"),
  ])
  func aNumberOfMoreDigitsThan64BitsHoldIsRefused(type: String, value: String) throws {
    let more = type == "currency" ? #", "currency": "EUR""# : ""
    let message = try Message(
      parsing: #"{"parameters": {"value": {"type": "\#(type)"\#(more)}}}"#)
    let failure = #expect(throws: InputFailure.self) {
      try Arguments(parsing: #"{"value": \#(value)}"#, for: message)
    }
    #expect(failure?.problems.map(\.code) == ["out_of_range"])
  }

  @Test(arguments: [
    "18446744073709551615", "-9223372036854775809", "123456789012345678901234567890", "1e-400",
    "3.14159265358979323846", "9007199254740993.5",
  ])
  func dataKeepAllDigitsOfANumber(number: String) throws {
    let scene = Scene(#"{"alert": "x", "data": {"n": \#(number), "list": [\#(number)]}}"#)
    #expect(
      try scene.render().payloadText
        == #"{"aps":{"alert":"x"},"list":[\#(number)],"n":\#(number)}"#)
  }

  /// The root of CLDR would write `2022 M05 2`.
  @Test(arguments: ["", "C", "garbage!!", "garbage", "tlh", nil])
  func aDateHasTheNameOfItsMonthWhateverTheLocale(locale: String?) throws {
    for languages in [["tlh"], ["de"], []] as [[String]] {
      var scene = Scene(
        #"{"alert": "{at}", "parameters": {"at": {"type": "date", "date": "long"}}}"#
      )
      scene.arguments = #"{"at": \#(Self.moment)}"#
      scene.device.locale = locale
      scene.device.languages = languages.compactMap { LanguageTag($0) }
      scene.device.timeZone = "UTC"
      let text = try scene.render().payloadText
      #expect(text.contains("Ma"), "\(text)")
      #expect(!text.contains("M05"), "\(text)")
    }
  }

  @Test(
    arguments: [
      (#""type": "currency""#, ["/parameters/p/currency missing_field"]),
      (#""type": "currency", "currency": "euro""#, ["/parameters/p/currency unknown_value"]),
      (#""type": "date", "time": "none""#, ["/parameters/p/time unknown_value"]),
      (#""type": "date", "date": "tiny""#, ["/parameters/p/date unknown_value"]),
      (#""type": "string", "time": "short""#, ["/parameters/p/time unknown_field"]),
      (
        #""type": "decimal", "minimum_fraction_digits": 3, "maximum_fraction_digits": 1"#,
        ["/parameters/p/maximum_fraction_digits out_of_range"]
      ),
    ] as [(String, [String])])
  func aParameterThatMakesNoSenseIsRefused(fields: String, expected: [String]) throws {
    let failure = #expect(throws: InputFailure.self) {
      try Message(parsing: #"{"parameters": {"p": {\#(fields)}}}"#)
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test func anArgumentStaysAsItCameInIdentifiersAndData() throws {
    var scene = Scene(
      """
      {"alert": "x", "thread_id": "{n}", "data": {"at": "{at}", "n": "{n}"},
       "parameters": {"at": {"type": "date"}, "n": {"type": "decimal"}}}
      """)
    scene.arguments = #"{"at": "2022-05-02T19:32:41Z", "n": 1234.5}"#
    scene.device.timeZone = "Europe/Paris"
    #expect(
      try scene.render().payloadText
        == #"{"aps":{"alert":"x","thread-id":"1234.5"},"at":"2022-05-02T19:32:41Z","n":1234.5}"#)
  }

  @Test func anArgumentReachesADeviceThatLocalizesByItselfAsText() throws {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "FOOD_PICKUP_TIME", "args": ["at"]}},
       "parameters": {"at": {"type": "date", "time": "short"}}}
      """)
    scene.arguments = #"{"at": "2022-05-02T19:32:41Z"}"#
    scene.device.timeZone = "America/Toronto"
    let request = try scene.render()
    #expect(request.mode == .client)
    #expect(
      request.payloadText == #"{"aps":{"alert":{"body":"À prendre à 15:32","loc-args":["15:32"],"#
        + #""loc-key":"FOOD_PICKUP_TIME"}}}"#)
  }

  @Test(arguments: [nil, "Mars/Olympus"])
  func aTimeIsWrittenInUTCWhenTheTimeZoneIsNotKnown(name: String?) throws {
    var scene = Scene(
      #"{"alert": "{at}", "parameters": {"at": {"type": "date", "time": "short"}}}"#)
    scene.arguments = #"{"at": "2022-05-02T19:32:41Z"}"#
    scene.device.timeZone = name
    let request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"alert":"19:32"}}"#)
    #expect(request.codes == ["time_zone_unknown"])
  }
}
