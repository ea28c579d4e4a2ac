import ASCII
import Foundation
import Testing

@testable import Localization

/// The grammar of CoreFoundation's formats.
@Suite struct FormatParserTests {
  @Test(arguments: [
    ("%%", "%"), ("%y", "y"), ("a%", "a"), ("%5%|", "5|"), ("%'d", "'d"), ("100%", "100"),
    ("% ", ""),
    ("%é", "é"), ("%-", ""), ("%#@n", ""), ("%😀!", "😀!"), ("%5y|", "5|"), ("%.2y|", ".|"),
    ("%ly|", "l|"), ("%1$y|", "1|"), ("", ""), ("%%%%d", "%%d"), ("%#@n!y|", "#|"),
    ("%[n!y|", "[|"), ("%[n", ""),
  ])
  func whatIsNoSpecifierShowsWhatFoundationShows(format: String, text: String) {
    let bytes = Array(format.utf8)
    var shown = ""
    for part in FormatParser(format) {
      switch part {
      case .text(let range), .escaped(let range, whole: _):
        shown += String(decoding: bytes[range], as: UTF8.self)
      case .specifier: shown += "?"
      case .incomplete: break
      }
    }
    #expect(shown == text)
    #expect(String(format: format, arguments: []) == text)
  }

  @Test(
    arguments: [
      ("%@", .object, 32), ("%d", .integer, 32), ("%lld", .integer, 64), ("%ld", .integer, 64),
      ("%hd", .integer, 16), ("%hhd", .integer, 8), ("%qu", .integer, 64), ("%zd", .integer, 64),
      ("%jU", .integer, 64), ("%tD", .integer, 64), ("%X", .hexadecimal(uppercase: true), 32),
      ("%O", .octal, 32), ("%lf", .fixed, 64), ("%LF", .fixed, 64), ("%E", .scientific, 32),
      ("%G", .general, 32), ("%A", .hexadecimalFloat(uppercase: true), 32), ("%C", .character, 32),
      ("%s", .pointedText, 32), ("%P", .pointedText, 32), ("%p", .pointer, 32),
      ("%n", .pointer, 32),
      ("%#@n_1@", .variable("n_1"), 32), ("%2$#@n@", .variable("n"), 32), ("% @", .object, 32),
      ("%#@n @", .object, 32), ("%#@n!d", .integer, 32), ("%[n]@", .object, 32),
    ] as [(String, FormatSpecifier.Conversion, Int)])
  func conversionsAndLengthsAreToldApart(
    format: String, conversion: FormatSpecifier.Conversion, bits: Int
  ) throws {
    let specifier = try only(format)
    #expect(specifier.conversion == conversion)
    #expect(specifier.bits == bits)
  }

  @Test func positionsFlagsWidthsAndPrecisionsAreRead() throws {
    let full = try only("%3$-+#12.5lld")
    #expect(full.position == 3)
    #expect(full.flags == [.left, .plus, .alternate])
    #expect(full.width == .number(12))
    #expect(full.precision == .number(5))
    let stars = try only("%2$*1$.*3$f")
    #expect(stars.position == 2)
    #expect(stars.width == .argument(1))
    #expect(stars.precision == .argument(3))
    #expect(try only("%*d").width == .argument(nil))
    #expect(try only("%.f").precision == .number(0))
    #expect(try only("%-05d").flags == .left)
    #expect(try only("%0-5d").flags == .left)
    #expect(try only("%+ d").flags == .plus)
    #expect(try only("% +d").flags == .plus)
    #expect(try only("%99999999999999999999d").width == .number(Limits.formatNumber))
  }

  private func only(_ format: String) throws -> FormatSpecifier {
    let parts = Array(FormatParser(format))
    let part = try #require(parts.first)
    guard parts.count == 1, case .specifier(let specifier, let range) = part else {
      throw NotOneSpecifier()
    }
    #expect(range == 0..<format.utf8.count)
    return specifier
  }

  private struct NotOneSpecifier: Error {}
}
