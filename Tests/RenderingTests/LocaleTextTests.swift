import ASCII
import DeviceProfile
import JSON
import Localization
import Rendering
import Testing

@Suite struct LocaleTextTests {
  static let locales = ["en_US", "de_DE", "fr_FR", "ar_EG", "ja_JP", "hi_IN"]
  static let moment = #""2022-05-02T19:32:41Z""#

  /// A parameter, a value, and its texts in the order of `locales`.
  static let rows: [(parameter: String, value: String, texts: [String])] = [
    (
      #""type": "string""#, #""A 1""#, ["A 1", "A 1", "A 1", "A 1", "A 1", "A 1"]
    ),
    (
      #""type": "integer""#, "1234567",
      ["1,234,567", "1.234.567", "1 234 567", "١٬٢٣٤٬٥٦٧", "1,234,567", "12,34,567"]
    ),
    (
      #""type": "decimal""#, "1234.5",
      ["1,234.5", "1.234,5", "1 234,5", "١٬٢٣٤٫٥", "1,234.5", "1,234.5"]
    ),
    (
      #""type": "percent""#, "0.256", ["25.6%", "25,6 %", "25,6 %", "٢٥٫٦٪", "25.6%", "25.6%"]
    ),
    (
      #""type": "currency", "currency": "EUR""#, "1234.5",
      ["€1,234.50", "1.234,50 €", "1 234,50 €", "١٬٢٣٤٫٥٠ €", "€1,234.50", "€1,234.50"]
    ),
    (
      #""type": "date""#, moment,
      [
        "May 2, 2022 at 3:32 PM", "02.05.2022, 15:32", "2 mai 2022 à 15:32",
        "٠٢/٠٥/٢٠٢٢، ٣:٣٢ م", "2022/05/02 15:32", "2 मई 2022, अ 3:32",
      ]
    ),
    (
      #""type": "date", "skeleton": "yMMMEd""#, moment,
      [
        "Mon, May 2, 2022", "Mo. 2. Mai 2022", "lun. 2 mai 2022", "اثنين، ٢ مايو، ٢٠٢٢",
        "2022年5月2日(月)", "सोम, 2 मई 2022",
      ]
    ),
    (
      #""type": "date", "skeleton": "jmm""#, moment,
      ["3:32 PM", "15:32", "15:32", "٣:٣٢ م", "15:32", "अ 3:32"]
    ),
    (
      #""type": "date", "skeleton": "Hmm""#, moment,
      ["15:32", "15:32", "15:32", "١٥:٣٢", "15:32", "15:32"]
    ),
    (
      #""type": "relative_date""#, "1699740800",
      ["3 days ago", "vor 3 Tagen", "il y a 3 jours", "قبل ٣ أيام", "3 日前", "3 दिन पहले"]
    ),
    (
      #""type": "relative_date", "style": "numeric""#, "1700086400",
      ["in 1 day", "in 1 Tag", "dans 1 jour", "خلال يوم واحد", "1 日後", "1 दिन में"]
    ),
    (
      #""type": "relative_date", "style": "named""#, "1700086400",
      ["tomorrow", "morgen", "demain", "غدًا", "明日", "आने वाला कल"]
    ),
    (
      #""type": "relative_date", "width": "abbreviated""#, #""2023-11-15T00:13:20Z""#,
      ["in 2 hr.", "in 2 Std.", "dans 2 h", "خلال ساعتين", "2 時間後", "2 घं॰ में"]
    ),
    (
      #""type": "relative_date", "width": "narrow""#, "1700007200",
      ["in 2h", "in 2 Std.", "+2 h", "خلال ساعتين", "2時間後", "2 घं॰ में"]
    ),
    (
      #""type": "duration""#, "3900",
      [
        "1 hour, 5 minutes", "1 Stunde und 5 Minuten", "1 heure et 5 minutes", "ساعة و٥ دقائق",
        "1時間 5分", "1 घंटा और 5 मिनट",
      ]
    ),
    (
      #""type": "list""#, #"["A", "B", "C"]"#,
      ["A, B, and C", "A, B und C", "A, B et C", "A وB وC", "A、B、C", "A, B और C"]
    ),
  ]

  @Test(arguments: rows.indices, locales)
  func aValuesTextIsThatOfTheDevicesRegion(row index: Int, locale: String) throws {
    let row = Self.rows[index]
    var scene = Scene(#"{"alert": "{value}", "parameters": {"value": {\#(row.parameter)}}}"#)
    scene.arguments = #"{"value": \#(row.value)}"#
    scene.device.locale = locale
    scene.device.timeZone = "America/Toronto"
    let request = try scene.render()
    let text = try #require(zip(Self.locales, row.texts).first { $0.0 == locale }?.1)
    #expect(request.payloadText.plain == #"{"aps":{"alert":"\#(text)"}}"#)
    #expect(request.codes == [])
  }

  @Test(arguments: [
    (#", "time": "short""#, "en_GB", "00:35"), ("", "de_DE", "04.11.2024, 00:35"),
    (#", "date": "short""#, "en_US", "11/4/24"), (#", "date": "short""#, "en_GB", "04/11/2024"),
    (
      #", "date": "full""#, "th_TH", "วันจันทร์ที่ 4 พฤศจิกายน พ.ศ. 2567"
    ),
    (#", "date": "short", "time": "short""#, "en_US@rg=gbzzzz", "04/11/2024, 00:35"),
    (#", "time": "short""#, "en_US@hours=h23", "00:35"),
    (#", "time": "short""#, "en_GB@hours=h12", "12:35 am"),
    (#", "date": "medium""#, "en_US@calendar=buddhist", "Nov 4, 2567 BE"),
    (#", "date": "short""#, "ar_EG@numbers=latn", "4/11/2024"),
    (#", "skeleton": "jmm""#, "en_US@hours=h23;rg=inzzzz", "00:35"),
    (#", "skeleton": "hmm""#, "en_US@hours=h23", "12:35 AM"),
    (#", "skeleton": "yMd""#, "en_US@calendar=buddhist;numbers=thai", "๑๑/๔/๒๕๖๗ BE"),
  ])
  func aStyledDateIsWhatDateFormatterWouldWrite(fields: String, locale: String, expected: String)
    throws
  {
    var scene = Scene(#"{"alert": "{at}", "parameters": {"at": {"type": "date"\#(fields)}}}"#)
    scene.arguments = #"{"at": "2024-11-04T00:35:00Z"}"#
    scene.device.locale = locale
    scene.device.timeZone = "Europe/London"
    scene.tables = nil
    let request = try scene.render()
    #expect(request.payloadText.plain == #"{"aps":{"alert":"\#(expected)"}}"#)
    #expect(request.codes == [])
  }

  @Test(arguments: [
    ("y", "2022"), ("yy", "22"), ("yyyy", "2022"), ("MMMMd", "May 2"), ("M", "5"), ("MMMMM", "M"),
    ("EEEE", "Monday"), ("EEEEEE", "Mo"), ("yQQQ", "Q2 2022"), ("dd", "02"), ("jj", "03 PM"),
    ("hmm", "3:32 PM"), ("HHmmss", "15:32:41"), ("jz", "3 PM EDT"),
    ("jzzzz", "3 PM Eastern Daylight Time"), ("jv", "3 PM ET"), ("jO", "3 PM GMT-4"),
    ("yG", "2022 AD"), ("w", "19"), ("yMMMdjmm", "May 2, 2022 at 3:32 PM"),
  ])
  func aDateHasTheFieldsOfItsSkeleton(skeleton: String, expected: String) throws {
    var scene = Scene(
      """
      {"alert": "{at}", "parameters": {"at": {"type": "date", "skeleton": "\(skeleton)"}}}
      """)
    scene.arguments = #"{"at": \#(Self.moment)}"#
    scene.device.locale = "en_US"
    scene.device.timeZone = "America/Toronto"
    #expect(try scene.render().payloadText.plain == #"{"aps":{"alert":"\#(expected)"}}"#)
  }

  @Test(
    arguments: [
      (#""skeleton": """#, ["/parameters/p/skeleton too_short"]),
      (#""skeleton": 1"#, ["/parameters/p/skeleton wrong_type"]),
      (#""skeleton": "yMMM d""#, ["/parameters/p/skeleton unknown_value"]),
      (#""skeleton": "X""#, ["/parameters/p/skeleton unknown_value"]),
      (#""skeleton": "dMd""#, ["/parameters/p/skeleton unknown_value"]),
      (#""skeleton": "jH""#, ["/parameters/p/skeleton unknown_value"]),
      (#""skeleton": "MMMMMM""#, ["/parameters/p/skeleton unknown_value"]),
      (#""skeleton": "é""#, ["/parameters/p/skeleton unknown_value"]),
      (
        "\"skeleton\": \"\(String(repeating: "y", count: 512))\"",
        ["/parameters/p/skeleton unknown_value"]
      ),
      (
        #""skeleton": "y", "date": "short", "time": "short""#,
        ["/parameters/p/date unknown_field", "/parameters/p/time unknown_field"]
      ),
    ] as [(String, [String])])
  func aDateNeedsASkeletonThatCanBeRead(fields: String, expected: [String]) throws {
    let failure = #expect(throws: InputFailure.self) {
      try Message(parsing: #"{"parameters": {"p": {"type": "date", \#(fields)}}}"#)
    }
    #expect(failure?.problems.map { "\($0.pointer) \($0.code)" } == expected)
  }

  @Test(arguments: [
    ("Asia/Tokyo", "en_US", "Tue, May 3, 2022"),
    ("Pacific/Honolulu", "en_US", "Mon, May 2, 2022"),
    ("Asia/Bangkok", "th_TH", "อ. 3 พ.ค. 2565"),
  ])
  func aDateIsThatOfTheDevicesTimeZoneAndCalendar(zone: String, locale: String, expected: String)
    throws
  {
    var scene = Scene(
      #"{"alert": "{at}", "parameters": {"at": {"type": "date", "skeleton": "yMMMEd"}}}"#)
    scene.arguments = #"{"at": \#(Self.moment)}"#
    scene.device.locale = locale
    scene.device.timeZone = zone
    #expect(try scene.render().payloadText.plain == #"{"aps":{"alert":"\#(expected)"}}"#)
  }

  @Test(arguments: ["-62135596800", "253402300799"], ["date", "relative_date"])
  func theFirstAndTheLastMomentHaveATextRelativeOrNot(seconds: String, type: String) throws {
    for locale in Self.locales + ["th_TH", "fa_IR", "ar_SA"] {
      var scene = Scene(#"{"alert": "{at}", "parameters": {"at": {"type": "\#(type)"}}}"#)
      scene.arguments = #"{"at": \#(seconds)}"#
      scene.device.locale = locale
      scene.device.timeZone = "Asia/Tokyo"
      let request = try scene.render()
      #expect(request.codes == [])
      #expect(request.payload.count < 200)
    }
  }

  @Test(arguments: [
    (#""type": "decimal", "minimum_fraction_digits": 20"#, "1e308"),
    (#""type": "decimal", "maximum_fraction_digits": 20"#, "-5e-324"),
    (#""type": "decimal""#, "-0.0"), (#""type": "decimal""#, "-9223372036854775808"),
    (#""type": "decimal""#, "1e20"),
    (#""type": "percent", "minimum_fraction_digits": 20"#, "1.7976931348623157e308"),
    (#""type": "currency", "currency": "XTS""#, "-1e308"),
    (#""type": "currency", "currency": "ZZZ""#, "0.5"),
    (#""type": "integer""#, "-9223372036854775808"), (#""type": "duration""#, "31556952000"),
  ])
  func theTextOfAHostileValueIsBounded(parameter: String, value: String) throws {
    for locale in Self.locales {
      var scene = Scene(
        """
        {"alert": {"body": {"key": "COUNT", "args": ["n"]}}, "parameters": {"n": {\(parameter)}}}
        """)
      scene.arguments = #"{"n": \#(value)}"#
      scene.device.locale = locale
      let request = try scene.render()
      #expect(request.payload.count < 2500)
      #expect(Set(request.codes).isSubset(of: ["argument_not_integer", "payload_too_large"]))
    }
  }

  @Test func digitsMeetAPercentDAsTheDevicesRegionWritesThem() throws {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "COUNT", "args": ["n"]}}, "parameters": {"n": {"type": "string"}}}
      """)
    scene.arguments = #"{"n": "1234567"}"#
    scene.device.languages = ["en"].compactMap { LanguageTag($0) }
    scene.device.locale = "en_IN"
    #expect(try scene.render().payloadText.contains("12,34,567 orders"))
  }

  /// What `%#@n@` counts and `%d` writes is what the text shows.
  @Test(arguments: [
    (#""type": "integer""#, "1", "en", "1 is one"),
    (#""type": "integer""#, "2", "en", "2 is other"),
    (#""type": "decimal""#, "1", "en", "1 is one"),
    (#""type": "decimal""#, "1.0", "en", "1 is one"),
    (#""type": "decimal", "minimum_fraction_digits": 1"#, "1", "en", "1.0 is other"),
    (#""type": "decimal", "minimum_fraction_digits": 1"#, "1", "fr", "1,0 is one"),
    (#""type": "decimal", "maximum_fraction_digits": 0"#, "1.4", "en", "1 is one"),
    (#""type": "decimal""#, "1.5", "fr", "1,5 is one"),
    (#""type": "percent""#, "0.01", "en", "1% is one"),
    (#""type": "percent""#, "0.25", "en", "25% is other"),
    (#""type": "percent", "minimum_fraction_digits": 1"#, "0.01", "en", "1.0% is other"),
    (#""type": "currency", "currency": "EUR""#, "1", "en", "€1.00 is other"),
    (#""type": "currency", "currency": "JPY""#, "1", "en", "¥1 is one"),
  ])
  func aNumberDecidesItsPlural(parameter: String, value: String, language: String, expected: String)
    throws
  {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "N", "args": ["n"]}}, "parameters": {"n": {\(parameter)}}}
      """)
    scene.arguments = #"{"n": \#(value)}"#
    let variable = PluralVariable(
      specifier: "@", cases: [.one: "%@ is one", .other: "%@ is other"])
    scene.tables = [
      StringTable(
        localization: language, name: "Localizable",
        entries: ["N": .plural(PluralFormat("%#@n@", variables: ["n": variable]))])
    ]
    scene.device.languages = tags(language)
    scene.device.locale = language == "en" ? "en_US" : "fr_FR"
    let request = try scene.render()
    #expect(request.payloadText.plain == #"{"aps":{"alert":{"body":"\#(expected)"}}}"#)
    #expect(request.codes == [])
  }
}

extension String {
  /// The text with common spaces and without marks of direction, which differ from one release of
  /// ICU to the next.
  fileprivate var plain: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{202F}", "\u{A0}": text += " "
      case "\u{200E}", "\u{200F}", "\u{61C}", "\u{2068}", "\u{2069}": break
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
