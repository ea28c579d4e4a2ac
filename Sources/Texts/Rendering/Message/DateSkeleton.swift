internal import FoundationEssentials
internal import FoundationInternationalization
internal import Localization

/// The fields of a moment that are written, and how wide. The locale decides about their order and
/// the text between them: `yMMMEd` → `Mon, May 2, 2022`, `Mo. 2. Mai 2022`.
///
/// A field is a run of one letter and stands there once. Source: Unicode UTS #35, "Date Field
/// Symbol Table", of which these are taken:
///
/// | field | letters |
/// |---|---|
/// | era, quarter, month, weekday | `G`…`GGGGG`, `Q`…`QQQQQ`, `M`…`MMMMM`, `E`…`EEEEEE` |
/// | year | `y`, `yy` (two digits), `yyy`, `yyyy` |
/// | week, day | `w` `ww`, `d` `dd` |
/// | hour | `j` `jj` as the locale counts, `H` `HH` to 23, `h` `hh` to 12 |
/// | minute, second | `m` `mm`, `s` `ss` |
/// | time zone | `z`…`zzzz` its name, `v` `vvvv` without daylight saving, `O` `OOOO` its offset |
public struct DateSkeleton: Sendable, Hashable {
  private struct Field: Hashable {
    var letter: UInt8
    var width: Int
  }

  private var fields: [Field] = []

  /// Reads a skeleton; `nil` when it is empty or has anything else than the fields above.
  public init?(_ text: String) {
    guard (1...MessageLimits.skeletonBytes).contains(text.utf8.count) else { return nil }
    for byte in text.utf8 {
      if fields.last?.letter == byte {
        fields[fields.count - 1].width += 1
      } else {
        fields.append(Field(letter: byte, width: 1))
      }
    }
    let isKnown = fields.allSatisfy { Self.widths[$0.letter]?.contains($0.width) == true }
    let kinds = Set(fields.map { Self.kind($0.letter) })
    guard isKnown, kinds.count == fields.count else { return nil }
  }

  private static let widths: [UInt8: Set<Int>] = [
    UInt8(ascii: "G"): [1, 2, 3, 4, 5], UInt8(ascii: "y"): [1, 2, 3, 4],
    UInt8(ascii: "Q"): [1, 2, 3, 4, 5], UInt8(ascii: "M"): [1, 2, 3, 4, 5],
    UInt8(ascii: "w"): [1, 2], UInt8(ascii: "d"): [1, 2],
    UInt8(ascii: "E"): [1, 2, 3, 4, 5, 6], UInt8(ascii: "j"): [1, 2], UInt8(ascii: "H"): [1, 2],
    UInt8(ascii: "h"): [1, 2], UInt8(ascii: "m"): [1, 2], UInt8(ascii: "s"): [1, 2],
    UInt8(ascii: "z"): [1, 2, 3, 4], UInt8(ascii: "v"): [1, 4], UInt8(ascii: "O"): [1, 4],
  ]

  /// One letter for all that name the same thing.
  private static func kind(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "H"), UInt8(ascii: "h"): UInt8(ascii: "j")
    case UInt8(ascii: "v"), UInt8(ascii: "O"): UInt8(ascii: "z")
    default: letter
    }
  }

  /// The style that writes a moment so. Foundation takes no skeleton, but its fields.
  func style(_ locale: Locale, _ timeZone: TimeZone) -> Date.FormatStyle {
    // A wish for 12 or 24 hours becomes a keyword of the locale: at most two more identifiers for
    // each.
    let cycle = fields.compactMap { Self.hourCycles[$0.letter] }.first
    let wished =
      cycle.map {
        Locale(identifier: FormattingLocale.identifier(locale.identifier, hours: $0))
      } ?? locale
    let plain = Date.FormatStyle(locale: wished, calendar: locale.calendar, timeZone: timeZone)
    return fields.reduce(plain) { style, field in style.adding(field.letter, field.width) }
  }

  private static let hourCycles = [UInt8(ascii: "H"): "h23", UInt8(ascii: "h"): "h12"]
}

extension Date.FormatStyle {
  fileprivate func adding(_ letter: UInt8, _ width: Int) -> Date.FormatStyle {
    switch letter {
    case UInt8(ascii: "G"): era(width < 4 ? .abbreviated : width == 4 ? .wide : .narrow)
    case UInt8(ascii: "y"):
      year(width == 1 ? .defaultDigits : width == 2 ? .twoDigits : .padded(width))
    case UInt8(ascii: "Q"):
      quarter([.oneDigit, .twoDigits, .abbreviated, .wide, .narrow][width - 1])
    case UInt8(ascii: "M"):
      month([.defaultDigits, .twoDigits, .abbreviated, .wide, .narrow][width - 1])
    case UInt8(ascii: "w"): week(width == 1 ? .defaultDigits : .twoDigits)
    case UInt8(ascii: "d"): day(width == 1 ? .defaultDigits : .twoDigits)
    case UInt8(ascii: "E"):
      weekday(
        [.abbreviated, .abbreviated, .abbreviated, .wide, .narrow, .short][width - 1])
    case UInt8(ascii: "j"), UInt8(ascii: "H"), UInt8(ascii: "h"):
      hour(
        width == 1 ? .defaultDigits(amPM: .abbreviated) : .twoDigits(amPM: .abbreviated))
    case UInt8(ascii: "m"): minute(width == 1 ? .defaultDigits : .twoDigits)
    case UInt8(ascii: "s"): second(width == 1 ? .defaultDigits : .twoDigits)
    case UInt8(ascii: "z"): timeZone(.specificName(width < 4 ? .short : .long))
    case UInt8(ascii: "v"): timeZone(.genericName(width < 4 ? .short : .long))
    case UInt8(ascii: "O"): timeZone(.localizedGMT(width < 4 ? .short : .long))
    default: self
    }
  }
}
