internal import ASCII
internal import Localization

extension PluralFormat {
  /// The text and those of its variables.
  var texts: [String] { [text] + variables.values.flatMap(\.cases.values) }
}

/// Fills a text for a device: the first line is the text, the others are arguments.
func formatAsDevice(_ input: [UInt8]) {
  let lines = lines(of: input)
  let text = lines[0]
  let arguments = Array(lines.dropFirst())
  let shown = LocArgsFormatter.format(text, arguments: arguments)
  promise(shown == LocArgsFormatter.format(text, arguments: arguments), "Twice the same.")
  promise(arguments.isEmpty ? shown == text : true, "Without arguments nothing changes.")
  promise(
    LocArgsFormatter.format(LocArgsFormatter.escapedLiteral(text), arguments: ["x"]) == text,
    "An escaped text is shown intact.")

  let placeholders = LocArgsFormatter.placeholders(in: text)
  guard !placeholders.containsOther, !placeholders.hasInvalidPosition, !arguments.isEmpty,
    placeholders.requiredArguments <= arguments.count,
    // The server's limit; the device has none.
    shown.utf8.count <= 65_536, !InlineMarkup.isIn(text)
  else { return }
  let server = ServerFormatter(locale: "en_US", rules: PluralRules(localization: "en"))
  let result = server.format(text, arguments: arguments.map { .string($0) })
  promise(result.problems.isEmpty, "Nothing is wrong: \(result.problems)")
  promise(
    result.text.utf8.elementsEqual(shown.utf8),
    "Device and server agree: \(shown) \(result.text)")
}

/// Fills a text with variables on the server.
///
///     de_CH                       the locale
///     1|2.50|Anna                 the arguments: whole numbers, decimals, texts
///     %1$@ sent %2$#@n@           the text
///     n 2 lld one %lld message    a case of a variable: name, argument, specifier, category, text
func formatAsServer(_ input: [UInt8]) {
  let lines = lines(of: input)
  guard lines.count > 2 else { return }
  let arguments = lines[1].split(separator: "|").prefix(8).map { argument(String($0)) }
  var format = PluralFormat(lines[2])
  for line in lines.dropFirst(3) {
    let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard words.count == 5, let category = PluralCategory(rawValue: String(words[3])) else {
      continue
    }
    format.variables[
      Spelling(String(words[0])),
      default: PluralVariable(
        argument: Int(words[1]).flatMap { 1...127 ~= $0 ? $0 : nil }, specifier: String(words[2]),
        cases: [:])
    ].cases[category] = String(words[4])
  }
  let rules = PluralRules(localization: lines[0])
  let server = ServerFormatter(
    locale: lines[0], rules: rules, isolatesArguments: input.count % 2 == 0)
  fill(format, arguments, server)
  promise(
    format.argumentUses == format.argumentUses, "The uses of arguments are found twice alike.")
}

/// Fills a text, and checks what holds for any.
func fill(_ format: PluralFormat, _ arguments: [ArgumentValue], _ server: ServerFormatter) {
  let result = server.format(format, arguments: arguments)
  // One text in four: it doubles the time, and what differs once differs often.
  if format.text.utf8.count % 4 == 0 {
    promise(result == server.format(format, arguments: arguments), "Twice the same.")
  }
  promise(result.problems.count <= 32, "Problems are limited.")
  // The limit, and the part that goes beyond it: a text, an argument, or a number of the greatest
  // width and precision in digits of up to four bytes.
  promise(result.text.utf8.count <= 65_536 + 65_536, "A text is limited.")
  let given = format.texts + arguments.map { $0.text(locale: server.locale) }
  if !given.contains(where: { $0.utf8.contains(UInt8(ascii: "<")) }) {
    promise(!result.text.contains("<null>"), "The server never shows <null>: \(result.text)")
  }
}

private func argument(_ text: String) -> ArgumentValue {
  if let number = Int64(text) { return .integer(number) }
  guard let number = Double(text), number.isFinite else { return .string(text) }
  return .decimal(number, text: text, fractionDigits: text.utf8.count % 24 - 1)
}

/// The lines of an input, never none.
func lines(of input: [UInt8]) -> [String] {
  input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
}
