/// Fills the placeholders of a text as a device does for remote notifications.
///
/// It is written here because `String(format:)` reads beyond its arguments where a text asks for
/// more of them, and knows other placeholders than the device (docs/apple.md 4.2):
///
///     %@                     the next argument; only this one counts on
///     %2$@                   argument 2
///     %%                     a percent sign
///     no such argument       <null>
///     %5d                    the percent sign and its digits are left out: d
///     %d, %#@n@              the percent sign and the next character are left out: nothing, @n@
///     % at the end           left out
enum ArgumentFormatter {
  /// The text with its arguments; without arguments, the text as it is.
  static func filled(_ text: String, with arguments: [String]) -> String {
    guard !arguments.isEmpty else { return text }
    var rest = text.unicodeScalars[...]
    var output = String.UnicodeScalarView()
    var next = 0
    func argument(_ index: Int?) -> String.UnicodeScalarView {
      let isThere = index.map(arguments.indices.contains) ?? false
      return (isThere ? arguments[index ?? 0] : "<null>").unicodeScalars
    }
    while let percent = rest.firstIndex(of: "%") {
      output += rest[..<percent]
      rest = rest[percent...].dropFirst()
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest[digits.endIndex...]
      if digits.isEmpty {
        switch rest.popFirst() {
        case "@"?:
          output += argument(next)
          next += 1
        case "%"?: output.append("%")
        default: break
        }
      } else if rest.starts(with: "$@".unicodeScalars) {
        rest = rest.dropFirst(2)
        output += argument(Int(String(digits)).map { $0 - 1 })
      }
    }
    output += rest
    return String(output)
  }
}
