import Foundation
import Testing

@testable import Localization

/// Every number as Foundation's `String(format:locale:)` writes it, but for what it gets wrong.
@Suite struct NumberTextTests {
  static let locales = [
    "en_US", "de_DE", "de_CH", "fr_FR", "es_ES", "pl_PL", "it_IT", "ru_RU", "sv_SE", "hi_IN",
    "ar_EG", "ar_AE", "fa_IR", "ne_NP", "my_MM", "th_TH", "ja_JP", "he_IL", "bn_BD", "en_IN",
    "pt_PT",
  ]
  static let integers: [Int64] = [
    0, 1, -1, 7, 42, 999, 1000, 1234, 12345, 1_234_567, -1_234_567, .max, .min,
  ]
  static let doubles: [Double] = [
    0, -0.0, 1, -1, 42, 999, 1000, 12345, 1_234_567, 0.5, 1.5, -2.25, 1234.5, 0.000012345, 1e15,
    1e21, .nan, .infinity, -.infinity,
  ]
  static let shapes: [String] = [
    "", "-", "+", " ", "0", "#", "-+", "+0", " 0",
  ].flatMap { flags in
    ["", "5", "14"].flatMap { width in ["", ".0", ".2"].map { flags + width + $0 }
    }
  }.filter { $0 != "01" }

  @Test(arguments: locales) func integersLookAsFoundationsDo(locale: String) throws {
    let foundation = Locale(identifier: locale)
    for shape in Self.shapes {
      for conversion in ["lld"] {
        let format = "%" + shape + conversion
        for number in Self.integers {
          let expected = String(format: format, locale: foundation, arguments: [number])
          try #require(ours(number, format, locale) == expected, "\(format) \(number) \(locale)")
        }
      }
    }
  }

  @Test(arguments: locales) func decimalsLookAsFoundationsDo(locale: String) throws {
    let foundation = Locale(identifier: locale)
    let hasZeros = String(format: "%lld", locale: foundation, arguments: [0]) == "0"
    for shape in Self.shapes {
      for conversion in ["f", "e", "g"] {
        let format = "%" + shape + conversion
        for number in Self.doubles {
          let isNegativeZero = number == 0 && number.sign == .minus
          if shape.contains("+"), isNegativeZero || conversion == "g" && number == 0.5 { continue }
          // Zeros in Foundation's texts: spaces, ASCII, or before what is no number.
          let isZeroPadded = ["0", "+0", " 0"].contains { shape.hasPrefix($0) }
          if isZeroPadded, conversion != "g" || !hasZeros || !number.isFinite { continue }
          let expected = String(format: format, locale: foundation, arguments: [number])
          try #require(ours(number, format, locale) == expected, "\(format) \(number) \(locale)")
        }
      }
    }
  }

  @Test func hexadecimalAndOctalNumbersLookAsCWritesThem() throws {
    for shape in Self.shapes {
      for conversion in ["llx", "llX", "llo"] {
        let format = "%" + shape + conversion
        for number in Self.integers {
          let expected = String(format: format, arguments: [number])
          try #require(ours(number, format, "ar_EG") == expected, "\(format) \(number)")
        }
      }
      for conversion in ["a", "A"] {
        let format = "%" + shape + conversion
        for number in Self.doubles {
          if number == 0, number.sign == .minus { continue }
          let expected = String(format: format, arguments: [number])
          try #require(ours(number, format, "de_DE") == expected, "\(format) \(number)")
        }
      }
    }
  }

  @Test(arguments: [
    ("%+.2f", -0.0, "en_US", "-0.00"), ("%+g", 0.5, "en_US", "+0.5"),
    ("%08.2f", -2.25, "en_US", "-0002.25"),
    ("%08g", .nan, "en_US", "     NaN"), ("%08g", 0.5, "ar_EG", "٠٠٠٠٠٠٫٥"),
    ("%a", 1.5, "de_DE", "0x1.8p+0"), ("%.2f", 1234.5, "es_ES", "1234,50"),
    ("%.2f", 1234.5, "fr_FR", "1\u{202F}234,50"), ("%e", 1234.5, "de_DE", "1,234500E+03"),
  ])
  func decimalsAreWrittenRight(
    format: String, number: Double, locale: String, text: String
  ) {
    #expect(ours(number, format, locale) == text)
  }

  @Test(
    arguments: [
      ("%x", -1, "ffffffff"), ("%hx", -1, "ffff"), ("%hhx", -1, "ff"),
      ("%hhx", -129, "ffffffffffffff7f"),
      ("%d", 12_345_678_901, "12.345.678.901"), ("%u", -5, "-5"), ("%c", 0x1F600, "😀"),
      ("%c", -1, ""), ("%C", 0xD800, ""), ("%010d", 1_234_567, "0.001.234.567"),
      ("%05d", 42, "00.042"),
    ] as [(String, Int64, String)])
  func integersAreNeverGarbled(format: String, number: Int64, text: String) {
    #expect(ours(number, format, "de_DE") == text)
  }

  @Test func theWidestNumberIsWhole() {
    for format in ["%4096lld", "%04096lld", "%.4096lld", "%4096x", "%-4096a"] {
      #expect(ours(Int64(7), format, "en_US").utf16.count >= 4096, "\(format)")
    }
    for format in ["%4096f", "%04096e", "%.4096f", "%4096.4096g"] {
      #expect(ours(-1.5, format, "ar_EG").utf16.count >= 4096, "\(format)")
    }
    #expect(
      ours(Double.greatestFiniteMagnitude, "%.20f", "en_US").utf16.count == 309 + 102 + 1 + 20)
  }

  @Test func manyThreadsWriteAtOnceInMoreLocalesThanAreKept() async {
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<4 {
        group.addTask {
          (0..<1000).allSatisfy { turn in
            NumberText.text(1234, locale: "de_DE@\(task)\(turn)") == "1.234"
          }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  private func ours(_ number: Int64, _ format: String, _ locale: String) -> String {
    guard let (specifier, width, precision) = parsed(format) else { return "no specifier" }
    return NumberText.text(number, specifier, width: width, precision: precision, locale: locale)
  }

  private func ours(_ number: Double, _ format: String, _ locale: String) -> String {
    guard let (specifier, width, precision) = parsed(format) else { return "no specifier" }
    return NumberText.text(number, specifier, width: width, precision: precision, locale: locale)
  }

  private func parsed(_ format: String) -> (FormatSpecifier, Int?, Int?)? {
    var parser = FormatParser(format)
    guard case .specifier(let specifier, _)? = parser.next() else { return nil }
    return (specifier, number(specifier.width), number(specifier.precision))
  }

  private func number(_ amount: FormatSpecifier.Amount?) -> Int? {
    if case .number(let number)? = amount { number } else { nil }
  }
}
