/// What an Apple device does with `loc-key` text and `loc-args`.
///
/// The device does not use `String(format:)` but a small formatter of its own:
///
/// | sees | writes |
/// |---|---|
/// | `%@` | the next argument; only `%@` moves the counter |
/// | `%N$@` | argument N, counted from 1 |
/// | `%%` | `%` |
/// | an index out of range | `<null>` |
/// | `%` and digits not followed by `$@` | nothing for these, then what follows: `%5d` → `d` |
/// | `%` and any other character | nothing for both: `%d` → nothing, `%ld` → `d` |
/// | `%` at the end | nothing |
///
/// Without arguments the text is shown as it is: `100%%` stays `100%%`.
/// Source: observed behaviour of the UserNotifications framework, docs/apple.md 4.2.
public enum LocArgsFormatter {
  /// The text as the device shows it.
  public static func format(_ text: String, arguments: [String]) -> String {
    guard !arguments.isEmpty, text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + arguments.reduce(0) { $0 + $1.utf8.count })
    var sequential = 0
    func append(argument index: Int) {
      if arguments.indices.contains(index) {
        output.append(contentsOf: arguments[index].utf8)
      } else {
        output.append(contentsOf: "<null>".utf8)
      }
    }
    for piece in FormatPieces(bytes) {
      switch piece {
      case .verbatim(let range):
        output.append(contentsOf: bytes[range])
      case .next:
        append(argument: sequential)
        sequential += 1
      case .position(let number):
        append(argument: number - 1)
      case .dropped:
        break
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The placeholders that a text asks for.
  public struct Placeholders: Sendable, Hashable {
    /// How many `%@` there are.
    public var sequential = 0
    /// The largest N of the `%N$@`; 0 when there is none.
    public var maximumPosition = 0
    /// Whether some `%N$@` names no argument at all: `%0$@`.
    public var hasInvalidPosition = false
    /// Whether there is anything but `%@`, `%N$@` and `%%`.
    public var containsOther = false
    /// Whether there is anything beside placeholders.
    public var hasWords = false

    /// How many arguments it takes to fill all of them.
    public var requiredArguments: Int { max(sequential, maximumPosition) }
  }

  /// Counts the placeholders of `text`.
  public static func placeholders(in text: String) -> Placeholders {
    var result = Placeholders()
    guard text.utf8.contains(UInt8(ascii: "%")) else {
      result.hasWords = !text.isEmpty
      return result
    }
    for piece in FormatPieces(Array(text.utf8)) {
      switch piece {
      case .verbatim: result.hasWords = true
      case .next: result.sequential += 1
      case .position(let number):
        result.maximumPosition = max(result.maximumPosition, number)
        if number == 0 { result.hasInvalidPosition = true }
      case .dropped: result.containsOther = true
      }
    }
    return result
  }

  /// `text` written so that the device's formatter, run with arguments, shows it intact:
  /// `100%` → `100%%`.
  public static func escapedLiteral(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 8)
    for byte in text.utf8 {
      bytes.append(byte)
      if byte == UInt8(ascii: "%") { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
