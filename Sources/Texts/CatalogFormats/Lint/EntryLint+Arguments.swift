internal import Localization

extension EntryLint {
  /// Rules that compare the arguments of an entry with those of its reference.
  ///
  ///     "%1$@ sent %2$@"   "Von %1$@"              argument_missing 2
  ///     "%1$@ sent %2$@"   "%1$@, %2$@, %3$@"      argument_unknown 3
  ///     "%d messages"      "%@ Nachrichten"        argument_type_mismatch 1
  ///     "%1$@ %3$@"        (itself the reference)  skipped_position 2
  mutating func checkArguments(categories: () -> PluralCategories) {
    let own = analysis.summary
    guard analysis.isComparable, !own.isEmpty || reference != nil else { return }
    checkSkippedPositions()
    guard let reference, reference.analysis.isComparable else { return checkOwnKinds() }
    let language = reference.language
    let others = reference.analysis.summary
    let missing = others.arguments(notIn: own)
    if !missing.isEmpty {
      add(
        .argumentMissing,
        "does not show \(Self.list(missing)), but its text in \(language) does.")
    }
    let unknown = own.arguments(notIn: others)
    if !unknown.isEmpty {
      add(.argumentUnknown, "shows \(Self.list(unknown)), but its text in \(language) does not.")
    }
    let pairs = own.pairs(with: others)
    for (own, other) in pairs { check(own, against: other, language: language) }
    let uniform = pairs.filter { !$0.own.isVarying && $0.other.isVarying }.map(\.own.number)
    // Where all numbers are of one category, a text that varies would say the same.
    if !uniform.isEmpty, categories().integers.count > 1 {
      add(
        .pluralMismatch,
        "is the same for every value of \(Self.list(uniform)), but varies by it in \(language).")
    }
  }

  private mutating func checkOwnKinds() {
    for argument in analysis.summary.arguments where argument.kinds.isMixed {
      add(
        .argumentTypeMismatch,
        "shows argument \(argument.number) as \(argument.kinds.list) at once.")
    }
  }

  private mutating func check(
    _ own: ArgumentSummary.Argument, against other: ArgumentSummary.Argument, language: String
  ) {
    if own.kinds.isMixed, own.kinds != other.kinds {
      add(
        .argumentTypeMismatch, "shows argument \(own.number) as \(own.kinds.list) at once.")
    } else if !own.kinds.isEmpty, !other.kinds.isEmpty, own.kinds.isDisjoint(with: other.kinds) {
      add(
        .argumentTypeMismatch,
        "shows argument \(own.number) as \(own.kinds.list), in \(language) as "
          + "\(other.kinds.list).")
    }
  }

  /// Example: with `%1$@ %3$@` alone, argument 2 is a hole. If the reference has the same hole, or
  /// an argument that only it has, the lint tells of it there.
  private mutating func checkSkippedPositions() {
    var expected = 1
    if let reference, reference.analysis.isComparable {
      expected = (reference.analysis.summary.arguments.last?.number ?? 0) + 1
    }
    for argument in analysis.summary.arguments where argument.number >= expected {
      guard argument.number == expected else {
        return add(
          .skippedPosition,
          "skips argument \(expected), whose size String(format:) then cannot know.")
      }
      expected += 1
    }
  }

  /// `argument 2`, `arguments 2 and 3`, `arguments 2, 3 and 4`; of many only the first are listed.
  private static func list(_ arguments: [Int]) -> String {
    let most = 8
    var words = arguments.prefix(most).map(String.init)
    if arguments.count > most { words.append("\(arguments.count - most) more") }
    guard let last = words.last, words.count > 1 else { return "argument \(words.joined())" }
    return "arguments \(words.dropLast().joined(separator: ", ")) and \(last)"
  }
}

extension ArgumentSummary.Kinds {
  /// The kinds as placeholders.
  fileprivate var list: String {
    let all: [(kind: Self, name: String)] = [
      (.text, "%@"), (.integer, "%d"), (.fraction, "%f"),
    ]
    return all.filter { contains($0.kind) }.map(\.name).joined(separator: " and ")
  }
}
