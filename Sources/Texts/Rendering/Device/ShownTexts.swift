import APNs
import ASCII
import Localization

/// The problems of the texts that a person would see.
extension DeviceSimulator {
  /// The problems of a payload's texts, as ``shown(by:)`` has them.
  ///
  /// - Parameter place: The place of the payload, a JSON pointer.
  func problems(of payload: Payload, at place: String) -> [PayloadProblem] {
    SeenText.all(of: payload, at: place).flatMap { $0.problems(on: self) }
  }
}

extension SeenText {
  fileprivate func problems(on device: DeviceSimulator) -> [PayloadProblem] {
    guard let key else { return literalProblems([]) }
    guard let app = device.app else {
      return [problem(.locKeyUnchecked, "There is no catalog of the app to look for the key in.")]
        + literalProblems([])
    }
    switch Lookup(app.catalog).deviceResult(for: key, chain: app.chain) {
    case .entry(let entry, _), .uncertain(let entry?, _):
      guard let text = entry.format(for: .iphone)?.text else {
        return [
          problem(.locKeyUnchecked, "The build has a text of the key for other devices only.")
        ]
      }
      if !text.isEmpty { return problems(of: text, arguments, isKeyed: true, at: keyPlace) }
      return [problem(.alertEmpty, "The build's text of the key is empty: nothing is shown.")]
    case .uncertain(nil, _):
      return [problem(.locKeyUnchecked, "It is not certain what the build has for the key.")]
    case .keyMissing, .tableMissing:
      let missing = "The build has no text for the key in this language: "
      if isOfActivity { return [problem(.locKeyShown, missing + "the device may show the key.")] }
      return literal == nil
        ? [problem(.locKeyShown, missing + "the device shows the key.")]
        : [problem(.locKeyMissing, missing + "the one beside is shown.")]
          + literalProblems(arguments)
    }
  }

  private func problem(_ kind: PayloadProblem.Code, _ detail: String) -> PayloadProblem {
    PayloadProblem(kind: kind, pointer: keyPlace, detail: detail)
  }

  private func literalProblems(_ arguments: [String]) -> [PayloadProblem] {
    literal.map { problems(of: $0, arguments, isKeyed: false, at: literalPlace) } ?? []
  }

  /// The problems of a text that arguments are filled into.
  private func problems(
    of text: String, _ arguments: [String], isKeyed: Bool, at place: String
  ) -> [PayloadProblem] {
    var problems: [PayloadProblem] = []
    func add(_ kind: PayloadProblem.Code, _ detail: String) {
      problems.append(PayloadProblem(kind: kind, pointer: place, detail: detail))
    }
    let shown = LocArgsFormatter.format(text, arguments: arguments)
    if ["<null>", "(null)"].contains(where: { shown.utf8.contains($0.utf8) }) {
      add(.nullShown, "A value is missing: a person would read `<null>` or `(null)`.")
    }
    if InlineMarkup.isIn(shown) {
      add(.markupShown, "A device shows `^[…](…)` as it is written, and inflects nothing.")
    }
    if arguments.isEmpty, text.showsPlaceholder(isKeyed: isKeyed) {
      add(.placeholderShown, "The text has a placeholder and no arguments: it is shown as it is.")
    }
    if !arguments.isEmpty, LocArgsFormatter.placeholders(in: text).containsOther {
      add(
        .placeholderLost,
        "A device fills `%@` and `%1$@` alone: what else begins with `%` is lost.")
    }
    return problems
  }
}

extension String {
  /// Whether a person would see a placeholder, `Hi %@`, or two percent signs that stand for one. In
  /// a text that is no translation only `%@`, `%2$@` and `%#@n@` count: `50%discount` is words.
  fileprivate func showsPlaceholder(isKeyed: Bool) -> Bool {
    guard utf8.contains(UInt8(ascii: "%")) else { return false }
    let bytes = Array(utf8)
    return FormatParser(bytes[...]).contains { part in
      switch part {
      case .specifier(let specifier, _) where specifier.mayBePercentSign: return false
      case .specifier(let specifier, let range):
        switch specifier.conversion {
        case .object, .variable: return true
        default:
          let isPercentage = range.lowerBound > 0 && bytes[range.lowerBound - 1].isASCIIDigit
          return isKeyed && !isPercentage
        }
      case .escaped(let shown, _): return isKeyed && bytes[shown] == [UInt8(ascii: "%")]
      case .text, .incomplete: return false
      }
    }
  }
}
