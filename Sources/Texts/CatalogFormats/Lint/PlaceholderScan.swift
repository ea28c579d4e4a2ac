internal import ASCII
internal import Localization

/// The placeholders of one text, looked at one by one.
///
/// | part | counts as |
/// |---|---|
/// | `%@`, `%d` | a sequential placeholder |
/// | `%2$@`, `%2$#@n@` | one with a position |
/// | `%#@n@` | neither: the variable may know its argument |
/// | `% @` | the same, and spaced |
/// | `%s`, `%p`, `%c` | unsupported, and a placeholder |
/// | `% o` of `50% off` | a percent sign, see ``PercentSigns`` |
/// | `%%` | nothing |
struct PlaceholderScan {
  /// How many arguments are counted, one by one.
  private(set) var sequential = 0
  /// Whether an argument is named by its position.
  private(set) var isPositional = false
  /// Whether there are too many placeholders to look at all of them.
  private(set) var isCutShort = false
  /// The first percent sign that should be `%%`, with what it swallows.
  private(set) var percentSign: String?
  /// The first placeholder that nothing can fill.
  private(set) var unsupported: String?
  /// The first placeholder of a value with a space in it.
  private(set) var spaced: String?
  /// The variables that the text refers to, each as often as the text refers to it.
  private(set) var references: [Spelling] = []
  init(_ text: String) {
    let bytes = Array(text.utf8)
    var count = 0
    for (part, isPercentSign) in PercentSigns(bytes) {
      if case .text = part { continue }
      count += 1
      guard count <= Limits.comparedPlaceholders else {
        isCutShort = true
        return
      }
      switch part {
      case .specifier(let specifier, let range) where !isPercentSign:
        add(specifier, bytes[range])
      case .specifier(_, let range), .incomplete(let range), .escaped(_, whole: let range):
        if percentSign == nil, isPercentSign {
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
    for (part, isPercentSign) in PercentSigns(bytes) where !isPercentSign {
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
    if spaced == nil, specifier.flags.contains(.space), !specifier.mayBePercentSign {
      spaced = String(decoding: source, as: UTF8.self)
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
    if position == nil { sequential += 1 } else { isPositional = true }
  }
}
