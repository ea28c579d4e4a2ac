/// Fills the placeholders of a text on the server.
///
/// For `%@` and `%N$@` the result is what the device would show, save that a missing argument is
/// empty instead of `<null>`. Integer specifiers (`%d %i %u` with any length, `%N$…`) are filled
/// with the locale's digits and grouping and take their turn with `%@`. Whatever else follows
/// `%` vanishes as it does on the device, and is reported.
///
/// Without arguments a text that has no placeholder is shown as it is (`50% off`, `100%%`), as
/// on the device. Surplus arguments are no problem: translations may leave one out.
public enum ServerFormatter {
  /// A filled text and what could not be filled.
  public struct Result: Sendable, Hashable {
    /// The text.
    public let text: String
    /// One problem for each placeholder that could not be filled as asked.
    public let problems: [LocalizationProblem]
  }

  /// Fills `text` with `arguments`, numbers as `locale` (such as `de_CH`) writes them.
  public static func format(
    _ text: String, arguments: [ArgumentValue], locale: String
  ) -> Result {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return Result(text: text, problems: []) }
    let bytes = Array(text.utf8)
    let pieces = Array(FormatPieces(bytes, integers: true))
    guard !arguments.isEmpty || pieces.contains(where: \.takesArgument) else {
      return Result(text: text, problems: [])
    }
    var filling = Filling(bytes: bytes, arguments: arguments, locale: locale)
    for piece in pieces {
      filling.append(piece)
    }
    return Result(
      text: String(decoding: filling.output, as: UTF8.self), problems: filling.problems)
  }

  private struct Filling {
    let bytes: [UInt8]
    let arguments: [ArgumentValue]
    let locale: String
    var output: [UInt8] = []
    var problems: [LocalizationProblem] = []
    var sequential = 0

    mutating func append(_ piece: FormatPieces.Piece) {
      switch piece {
      case .verbatim(let range):
        output.append(contentsOf: bytes[range])
      case .next:
        appendNext(asInteger: nil)
      case .position(let number):
        append(argument: number, asInteger: nil)
      case .integer(let number?, let range):
        append(argument: number, asInteger: range)
      case .integer(nil, let range):
        appendNext(asInteger: range)
      case .dropped(let range):
        report(.unsupportedSpecifier, String(decoding: bytes[range], as: UTF8.self))
      }
    }

    private mutating func appendNext(asInteger specifier: Range<Int>?) {
      sequential += 1
      append(argument: sequential, asInteger: specifier)
    }

    private mutating func append(argument number: Int, asInteger specifier: Range<Int>?) {
      guard arguments.indices.contains(number - 1) else {
        return report(.missingArgument, String(number))
      }
      var value = arguments[number - 1]
      if let specifier {
        if let integer = value.integer {
          value = .integer(integer)
        } else {
          report(.argumentNotInteger, String(decoding: bytes[specifier], as: UTF8.self))
        }
      }
      output.append(contentsOf: value.text(locale: locale).utf8)
    }

    private mutating func report(_ code: LocalizationProblem.Code, _ detail: String) {
      problems.append(LocalizationProblem(code, detail: detail))
    }
  }
}

extension FormatPieces.Piece {
  fileprivate var takesArgument: Bool {
    switch self {
    case .next, .position, .integer: true
    case .verbatim, .dropped: false
    }
  }
}
