import Localization
import Testing
import _FoundationICU

/// `DateFormatter`'s styles are those of the ICU that comes with Swift.
@Suite struct DateStyleTests {
  /// Sparse at the edges, dense where people are; with keywords as a phone's settings make them.
  static let locales = [
    "en_US", "en_GB", "en_CA", "en_AU", "en_IN", "de_DE", "de_CH", "fr_FR", "fr_CA", "es_ES",
    "es_MX", "pt_BR", "pt_PT", "it_IT", "nl_NL", "sv_SE", "da_DK", "nb_NO", "fi_FI", "pl_PL",
    "cs_CZ", "ru_RU", "uk_UA", "tr_TR", "el_GR", "he_IL", "ar_EG", "ar_SA", "fa_IR", "hi_IN",
    "th_TH", "vi_VN", "id_ID", "ja_JP", "ko_KR", "zh_Hans_CN", "zh_Hant_TW", "en_US@rg=gbzzzz",
    "ar_EG@calendar=islamic-civil;numbers=latn", "en_US@calendar=buddhist;hours=h23",
  ]

  static let styles: [DateStyle] = [
    DateStyle(date: .short, time: .none), DateStyle(date: .medium, time: .none),
    DateStyle(date: .long, time: .none), DateStyle(date: .full, time: .none),
    DateStyle(date: .none, time: .short), DateStyle(date: .none, time: .medium),
    DateStyle(date: .medium, time: .short), DateStyle(date: .full, time: .full),
  ]

  /// In winter, in summer, before 1970 and on the last second of a year.
  static let moments: [(second: Double, zone: String)] = [
    (1_730_660_700, "Europe/Berlin"), (1_651_519_961.5, "America/Toronto"),
    (-86_400_000, "Asia/Kolkata"), (1_798_761_599, "UTC"),
  ]

  @Test(arguments: locales)
  func aStyleIsICUsOwn(locale: String) {
    #expect(Set(Self.locales).count == 40)
    for style in Self.styles {
      for (second, zone) in Self.moments {
        let expected = Self.icu(style, locale, zone, second)
        #expect(!expected.isEmpty)
        #expect(style.text(ofSecond: second, locale: locale, timeZone: zone) == expected)
      }
    }
  }

  @Test(arguments: [
    ("ar_SA@calendar=gregorian;hours=h23;numbers=latn;rg=egzzzz", "x=y;rg=egzzzz"),
    ("zh_Hant_TW@calendar=ethiopic-amete-alem;hours=h12;numbers=mathsans;rg=hkzzzz", ""),
  ])
  func aLongLocaleCountsAsAWhole(locale: String, more: String) {
    let style = DateStyle(date: .full, time: .full)
    #expect(
      style.text(ofSecond: 0, locale: locale + ";" + more, timeZone: "UTC")
        == Self.icu(style, locale, "UTC", 0))
  }

  @Test(arguments: ["xx_XX", "", "en_US@calendar=mayan", "en_US@rg=", "é@@=;"])
  func aLocaleThatIsNoneHasATextAllTheSame(locale: String) {
    let style = DateStyle(date: .medium, time: .short)
    #expect(!style.text(ofSecond: 0, locale: locale, timeZone: "UTC").isEmpty)
  }

  /// More locales than are kept at a time, from several threads.
  @Test func formattersAreExchangedWhileTheyAreUsed() async {
    let style = DateStyle(date: .short, time: .none)
    let regions = ["US", "GB", "DE", "IN", "CA", "AU"]
    let wrong = await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          (0..<200).count { index in
            let region = regions[(index + task) % regions.count]
            let rg = regions[index / regions.count % regions.count].lowercased()
            let locale = "en_\(region)@hours=h\(index % 2 == 0 ? 12 : 23);rg=\(rg)zzzz"
            return style.text(ofSecond: 0, locale: locale, timeZone: "UTC")
              != Self.icu(style, locale, "UTC", 0)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  /// What ICU writes without any of our code.
  private static func icu(
    _ style: DateStyle, _ locale: String, _ zone: String, _ second: Double
  ) -> String {
    let name = Array(zone.utf16)
    var status = U_ZERO_ERROR
    guard
      let formatter = swift_udat_open(
        icu(style.time), icu(style.date), locale, name, Int32(name.count), nil, 0, &status)
    else { return "" }
    defer { swift_udat_close(formatter) }
    var buffer = [UChar](repeating: 0, count: 500)
    let length = swift_udat_format(formatter, second * 1000, &buffer, 500, nil, &status)
    return String(decoding: buffer[..<Int(length)], as: UTF16.self)
  }

  private static func icu(_ length: DateStyle.Length) -> UDateFormatStyle {
    switch length {
    case .none: UDAT_NONE
    case .short: UDAT_SHORT
    case .medium: UDAT_MEDIUM
    case .long: UDAT_LONG
    case .full: UDAT_FULL
    }
  }
}

@Suite struct DurationTextTests {
  @Test(arguments: [
    (0, UnitWidth.wide, "en_US", "0 seconds"), (3900, .wide, "en_US", "1 hour, 5 minutes"),
    (90_061, .narrow, "en_US", "1d 1h 1m 1s"), (3900, .abbreviated, "de_DE", "1 Std., 5 Min."),
    (3900, .wide, "he_IL", "1 שעה ו-5 דקות"), (7200, .wide, "he_IL", "שעתיים"),
    (3900, .wide, "ar_EG@numbers=latn", "ساعة و5 دقائق"),
    (31_556_952_000, .wide, "en_US", "365,242 days, 12 hours"),
  ])
  func aDurationIsICUsListOfItsUnits(
    seconds: Int64, width: UnitWidth, locale: String, text: String
  ) {
    #expect(DurationText.text(seconds: seconds, width: width, locale: locale) == text)
  }
}
