extension PluralVariable {
  /// How many decimals its texts show of its own argument, which is argument `position`: 1 for
  /// `%.1f mile`, 6 for `%f`; nil when the argument itself says it, as for `%@` and `%d`.
  ///
  /// The text for `other` stands for all; where it shows no number, the first one that does, and
  /// last the variable's specifier.
  func shownDecimals(position: Int) -> Int? {
    // Nearly all variables count whole numbers, and their texts need not be read.
    guard let conversion = specifier.utf8.last, !Self.ofWholeNumbers.contains(conversion) else {
      return nil
    }
    let texts = [cases[.other]] + PluralCategory.allCases.map { cases[$0] } + ["%" + specifier]
    for text in texts.lazy.compactMap(\.self) {
      if let shown = Self.shown(in: text, position: position) { return shown.fixedDecimals }
    }
    return nil
  }

  /// The argument that decides, where the texts or ``argument`` say it.
  ///
  ///     "%@ miles"            1: it is the number, though they show it as a value
  ///     "%@ has boats"        "Ann", 1: it is the one that they do not show
  ///     "%1$@ of %2$@ miles"  "Ann", 1: it is the one of them that is a number
  ///
  /// A number counts before a text that looks like one.
  func decidingArgument(of arguments: [ArgumentValue]) -> Int? {
    guard !candidates.isEmpty else { return argument }
    func isThere(_ test: @escaping (ArgumentValue) -> Bool) -> (Int) -> Bool {
      { arguments.indices.contains($0 - 1) && test(arguments[$0 - 1]) }
    }
    let hidden = [argument].compactMap(\.self)
    return (candidates + hidden).first(where: isThere(\.isNumberByType))
      ?? (hidden + candidates).first(where: isThere(\.isNumber)) ?? argument
  }

  /// The same where only the types of the arguments are known, or nothing of them.
  func decidingArgument(isNumber: ((Int) -> Bool)?) -> Int? {
    guard !candidates.isEmpty, let isNumber else { return argument }
    return (candidates + [argument].compactMap(\.self)).first(where: isNumber) ?? candidates.first
  }

  private static let ofWholeNumbers = Set("@diouxXDOU".utf8)

  /// The first specifier that writes the variable's own argument.
  private static func shown(in text: String, position: Int) -> FormatSpecifier? {
    var next = position
    for part in FormatParser(Array(text.utf8)[...]) {
      guard case .specifier(let specifier, _) = part else { continue }
      // A width or precision that is an argument takes an argument of its own.
      for amount in [specifier.width, specifier.precision] {
        if case .argument(nil)? = amount { next += 1 }
      }
      let own = specifier.position ?? next
      if specifier.position == nil { next += 1 }
      let writes = specifier.conversion.takesNumber || specifier.conversion == .object
      if own == position, writes { return specifier }
    }
    return nil
  }
}

extension FormatSpecifier {
  /// The decimals of a `%f`; nil for other conversions and when an argument says it.
  fileprivate var fixedDecimals: Int? {
    guard case .fixed = conversion else { return nil }
    switch precision {
    case nil: return 6
    case .number(let decimals): return decimals
    case .argument: return nil
    }
  }
}
