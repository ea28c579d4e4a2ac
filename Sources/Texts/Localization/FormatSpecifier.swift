public import ASCII

/// One `%…` of a text as Foundation's `String(format:)` reads it.
///
///     % [N$] [flags] [width] [.precision] [length] conversion
///     % [N$] #@name@
///
///     "%@"        an object          "%2$lld"   argument 2, a 64-bit integer
///     "%-5.2f"    left, width 5, two decimals    "%*d"  width from the arguments
///     "%#@n@"     the variable n     "%1$#@n@"  the variable n of argument 1
///     "% @"       an object, too     "%[n]@"    an object; predicates are translated by it
///
/// Flags are `-`, `+`, space, `0`, `#`; a `'` is none. Source: CFString.c, docs/apple.md 6.1.
public struct FormatSpecifier: Sendable, Hashable {
  /// What the argument is written as.
  public enum Conversion: Sendable, Hashable {
    /// `@`: the value's own text; width and precision do not count.
    case object
    /// `d`, `i`, `D`, and, without a sign, `u`, `U`.
    case integer
    /// `x`, `X`.
    case hexadecimal(uppercase: Bool)
    /// `o`, `O`.
    case octal
    /// `f`, `F`.
    case fixed
    /// `e`, `E`.
    case scientific
    /// `g`, `G`: the shorter of the two.
    case general
    /// `a`, `A`.
    case hexadecimalFloat(uppercase: Bool)
    /// `c`, `C`: one character by its number.
    case character
    /// `s`, `S`, `P`: a C, UTF-16 or Pascal string. No argument of ours is one; texts stand in.
    case pointedText
    /// `p`, `n`: an address, and nothing. No argument can be either.
    case pointer
    /// `#@name@`: a variable of a `PluralFormat`.
    case variable(Spelling)

    /// Whether it writes whole numbers only.
    public var isWhole: Bool {
      switch self {
      case .integer, .hexadecimal, .octal, .character: true
      default: false
      }
    }

    /// Whether it writes a number.
    var takesNumber: Bool {
      switch self {
      case .object, .variable, .pointedText, .pointer: false
      default: true
      }
    }
  }

  /// A width or precision.
  public enum Amount: Sendable, Hashable {
    /// As it is written.
    case number(Int)
    /// `*`, or `*N$`: an argument says it.
    case argument(Int?)
  }

  public struct Flags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `-`: left-aligned. It takes the `0` away.
    public static let left = Flags(rawValue: 1)
    /// `+`: positive numbers have a sign, too. It takes the space away.
    public static let plus = Flags(rawValue: 2)
    /// Space: positive numbers have a space for a sign.
    public static let space = Flags(rawValue: 4)
    /// `0`: padded with zeros.
    public static let zero = Flags(rawValue: 8)
    /// `#`: `0x`, `0` before hexadecimal and octal numbers.
    public static let alternate = Flags(rawValue: 16)
  }

  /// The argument, counted from 1; nil is the next.
  public var position: Int?
  public var flags: Flags = []
  /// The least number of characters.
  public var width: Amount?
  /// The number of decimals, or the least number of digits of an integer.
  public var precision: Amount?
  /// How many bits an integer is read with: 8, 16, 32 (also when nothing is said) or 64.
  public var bits = 32
  public var conversion = Conversion.object

  /// Whether its percent sign may be meant as such: in `50% off`, where Foundation takes `% o` for
  /// an
  /// octal number, and in `50%-ige`. `% @` is always an argument.
  public var mayBePercentSign: Bool {
    switch conversion {
    case .object, .variable: false
    default: !flags.isDisjoint(with: [.space, .left, .plus])
    }
  }
}

/// A part of a format.
public enum FormatPart: Sendable, Hashable {
  /// Bytes to copy.
  case text(Range<Int>)
  /// A placeholder, with the bytes it takes.
  case specifier(FormatSpecifier, Range<Int>)
  /// `%` and something that is no specifier: Foundation shows `shown`, the character after `%`.
  /// For `%%` that is the second `%`.
  case escaped(shown: Range<Int>, whole: Range<Int>)
  /// A specifier that the text ends in: Foundation shows nothing.
  case incomplete(Range<Int>)
}
