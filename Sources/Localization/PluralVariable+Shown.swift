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

  private static let ofWholeNumbers = Set("@diouxXDOU".utf8)

  /// The first specifier that writes the variable's own argument.
  private static func shown(in text: String, position: Int) -> FormatSpecifier? {
    var next = position
    for part in FormatParser(Array(text.utf8)[...]) {
      guard case .specifier(let specifier, _) = part else { continue }
      // A width or precision that is an argument takes one of its own.
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
