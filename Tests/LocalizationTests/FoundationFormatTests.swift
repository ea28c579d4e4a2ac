import Foundation
import Localization
import Testing

/// Formats beside what Foundation makes of them on this machine.
@Suite struct FoundationFormatTests {
  private static let locale = Locale(identifier: "en_US")

  /// Placeholders of a value, with all that may stand between the percent sign and the `@`.
  @Test(arguments: [
    "%@", "% @", "%  @", "%   @", "%-@", "%+@", "%0@", "% +-0@", "%5@", "%-5@", "%05@", "%.2@",
    "%5.2@", "%.@", "%l@", "%ll@", "%h@", "%hh@", "%q@", "%z@", "%t@", "%j@", "% l@", "%1$@",
    "% 1$@", "%1$ @", "%1$-@", "%1$5@", "%2$ @ %1$@", "%@ % @", "% @ %@", "% @ (% @)", "% @.",
    "Plan tot % @", "100% @", "100 % @ %@", "%1$ @ %1$@ %2$ @", "%#@n@", "% #@n@", "%2$#@n@ %1$@",
    "%##@n@", "%#@@", "%#@a]b@", "%#@n!@", "%#@n @", "%#5@n@", "%[n]@", "%[n@", "%[n!@", "%[[n]@",
    "%[n]@ %@", "%#@n@ %@",
  ])
  func aValueIsShownAsFoundationShowsIt(format: String) {
    compare(format)
  }

  /// What is no placeholder, beside one that is.
  @Test(arguments: [
    "%% %@", "%@%%", "%@ %", "%@ % ", "%@ %-", "%@ %1$", "%@ %ll", "% % %@", "%5% %@",
    "%-% %@", "%'@ %@", "%'d %@", "%,@ %@", "%\u{A0}@ %@", "%\n@ %@", "%… %@", "%@ %…", "%é@ %@",
    "%😀@ %@", "%y %@", "%k %@", "%m %@", "%w %@", "%_ %@", "%(@) %@", "%{@ %@", "%$@ %@", "%1@ %@",
    "%;%@", "%%%@", "%%%%@ %@", "%#@n", "%@ %#@n", "%@ %#@", "%@ %[", "%#@n!y| %@", "%[n!y| %@",
    "%5y| %@", "%.2y| %@", "%ly| %@", "%1$y| %@", "%+y| %@", "%*y| %@", "%@ %#",
  ])
  func whatIsNoPlaceholderIsShownAsFoundationShowsIt(format: String) {
    compare(format)
  }

  private func compare(_ format: String) {
    let words = ["Ann", "Bob", "Eve"]
    let expected = String(format: format, locale: Self.locale, arguments: words)
    let filled = english.format(format, arguments: words.map { .string($0) })
    #expect(filled.text == expected, "\(format)")
  }

  private static let flags = ["", " ", "  ", "-", "+", "+ ", " +", "#", "0", "-0", " 0", "'"]
  private static let lengths = ["", "h", "hh", "l", "ll", "q", "t", "z", "j"]

  @Test(arguments: ["d", "D", "i", "u", "U", "x", "X", "o", "c"])
  func aWholeNumberIsWrittenAsFoundationWritesIt(conversion: String) {
    for flags in Self.flags {
      for size in ["", "7", "07", "7.", ".", ".4", "7.4"] {
        for length in Self.lengths {
          let format = "%\(flags)\(size)\(length)\(conversion)|%1$\(flags)\(size)\(conversion)"
          let expected = String(format: format, locale: Self.locale, arguments: [65])
          #expect(
            english.format(format, arguments: [.integer(65)]).text == expected, "\(format)")
        }
      }
    }
  }

  @Test(arguments: ["f", "F", "e", "E", "g", "G", "a", "A"])
  func aDecimalIsWrittenAsFoundationWritesIt(conversion: String) {
    // C has no `%lla`, and takes the number for a longer one.
    let lengths = conversion.lowercased() == "a" ? ["", "l"] : ["", "l", "ll", "h", "q"]
    for flags in ["", " ", "  ", "-", "+", "#", "'"] {
      for size in ["", "12", "12.", ".", ".2", "12.2"] {
        for length in lengths {
          let format = "%\(flags)\(size)\(length)\(conversion)|"
          let expected = String(format: format, locale: Self.locale, arguments: [1234.5])
          let value = ArgumentValue.decimal(1234.5, text: "1,234.5", fractionDigits: nil)
          #expect(english.format(format, arguments: [value]).text == expected, "\(format)")
        }
      }
    }
  }

  @Test(arguments: [
    "%*d|%d", "%-*d|%d", "%.*d|%d", "%.5*d|%d", "%2$*1$d", "%1$*2$d", "% *d|%d", "%*.*d|%d",
  ])
  func aWidthFromTheArgumentsIsReadAsFoundationReadsIt(format: String) {
    let expected = String(format: format, locale: Self.locale, arguments: [4, 7, 9, 11])
    let filled = english.format(format, arguments: [4, 7, 9, 11].map { .integer($0) })
    #expect(filled.text == expected, "\(format)")
  }
}
