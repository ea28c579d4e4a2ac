internal import Localization

/// The placeholders of one text, looked at one by one.
///
/// | part | counts as |
/// |---|---|
/// | `%@`, `%d` | a sequential placeholder |
/// | `%2$@`, `%2$#@n@` | one with a position |
/// | `%#@n@` | neither: the variable may know its argument |
/// | `%s`, `%p`, `%c` | unsupported, and a placeholder |
/// | `% o` of `50% off`, `%y`, `%` at the end | a percent sign |
/// | `%%` | nothing |
///
/// A space flag is a percent sign always: `100 % de` is common, `% d` in earnest is not.
struct PlaceholderScan {
  /// Whether an argument is counted.
  private(set) var isSequential = false
  /// Whether an argument is named by its position.
  private(set) var isPositional = false
  /// The first percent sign that should be `%%`, with what it swallows.
  private(set) var percentSign: String?
  /// The first placeholder that nothing can fill.
  private(set) var unsupported: String?
  /// The variables that are referred to, each as often as it is.
  private(set) var references: [String] = []
  init(_ text: String) {
    let bytes = Array(text.utf8)
    for part in FormatParser(bytes[...]) {
      switch part {
      case .specifier(let specifier, let range) where !part.isPercentSign(bytes):
        add(specifier, bytes[range])
      case .specifier(_, let range), .incomplete(let range), .escaped(_, whole: let range):
        if percentSign == nil, part.isPercentSign(bytes) {
          percentSign = String(decoding: bytes[range], as: UTF8.self)
        }
      case .text: break
      }
    }
  }

  /// A text without the percent signs that mean themselves.
  static func cleaned(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var kept: [UInt8] = []
    for part in FormatParser(bytes[...]) where !part.isPercentSign(bytes) {
      switch part {
      case .text(let range), .specifier(_, let range): kept.append(contentsOf: bytes[range])
      case .escaped, .incomplete: break
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  private mutating func add(_ specifier: FormatSpecifier, _ source: ArraySlice<UInt8>) {
    for case .argument(let position) in [specifier.width, specifier.precision] {
      addPlace(position)
    }
    switch specifier.conversion {
    case .variable(let name):
      references.append(name)
      if specifier.position != nil { isPositional = true }
    case .character, .pointedText, .pointer:
      if unsupported == nil { unsupported = String(decoding: source, as: UTF8.self) }
      addPlace(specifier.position)
    default:
      addPlace(specifier.position)
    }
  }

  private mutating func addPlace(_ position: Int?) {
    if position == nil { isSequential = true } else { isPositional = true }
  }
}

extension FormatPart {
  /// Whether the part is a percent sign that should be `%%`.
  fileprivate func isPercentSign(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .text: false
    case .specifier(let specifier, _): specifier.flags.contains(.space)
    case .escaped(let shown, _): !bytes[shown].elementsEqual(CollectionOfOne(UInt8(ascii: "%")))
    case .incomplete: true
    }
  }
}
