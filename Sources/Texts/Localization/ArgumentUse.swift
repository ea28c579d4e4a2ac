internal import ASCII

/// One use of an argument in a text: which argument it is, and what its placeholder makes of it.
public struct ArgumentUse: Sendable, Hashable {
  /// The argument, counted from 1.
  public let argument: Int
  /// What its placeholder makes of it; `.variable(name)` for a variable that varies by it.
  public let conversion: FormatSpecifier.Conversion
}

extension PluralFormat {
  /// The uses of arguments in a text and in every case of its variables, each told once.
  ///
  /// It counts arguments, and stops at bounds, as `ServerFormatter` does: `%@` takes the next
  /// argument, `%2$@` the second, and within a case the first placeholder stands for the variable's
  /// own.
  public var argumentUses: Set<ArgumentUse> { argumentUses(isNumber: nil) }

  /// The uses when it is known which arguments are numbers. Example: the `% o` of `50% off` is no
  /// use then, unless there is a number for it.
  public func argumentUses(isNumber: ((_ argument: Int) -> Bool)?) -> Set<ArgumentUse> {
    var walk = ArgumentWalk(variables: variables, isNumber: isNumber)
    walk.add(text, first: 1, depth: 0)
    return walk.uses
  }
}

private struct ArgumentWalk {
  let variables: [Spelling: PluralVariable]
  /// Which arguments are numbers, if that is known.
  let isNumber: ((Int) -> Bool)?
  var uses: Set<ArgumentUse> = []
  /// Variables whose cases were read, each with its argument: the same pair gives the same uses
  /// again.
  private var seen: Set<ArgumentUse> = []
  private var expansions = 0
  private var readBytes = 0
  private var placeholders = 0

  init(variables: [Spelling: PluralVariable], isNumber: ((Int) -> Bool)?) {
    self.variables = variables
    self.isNumber = isNumber
  }

  mutating func add(_ text: String, first: Int, depth: Int) {
    readBytes += text.utf8.count
    guard readBytes <= Limits.readBytes else { return }
    var next = first
    var isPositional = false
    for part in FormatParser(InlineMarkup.words(of: text)) {
      guard case .specifier(let specifier, _) = part else { continue }
      placeholders += 1
      guard placeholders <= Limits.placeholders else { return }
      isPositional = isPositional || specifier.position != nil
      if isPercentSign(specifier, next: next, isPositional: isPositional) { continue }
      for case .argument(let position) in [specifier.width, specifier.precision] {
        uses.insert(ArgumentUse(argument: position ?? next, conversion: .integer))
        if position == nil { next += 1 }
      }
      let following = next
      if specifier.position == nil { next += 1 }
      guard case .variable(let name) = specifier.conversion else {
        uses.insert(
          ArgumentUse(
            argument: specifier.position ?? following, conversion: specifier.conversion))
        continue
      }
      let variable = variables[name]
      let use = ArgumentUse(
        argument: specifier.position ?? variable?.decidingArgument(isNumber: isNumber) ?? following,
        conversion: specifier.conversion)
      uses.insert(use)
      guard depth < Limits.variableNesting, expansions < Limits.variableExpansions,
        seen.insert(use).inserted, let variable
      else { continue }
      expansions += 1
      for text in variable.cases.values {
        add(text, first: use.argument, depth: depth + 1)
      }
    }
  }

  /// Whether a placeholder is only a percent sign before a word, as in ``ServerFormatter``.
  private func isPercentSign(_ specifier: FormatSpecifier, next: Int, isPositional: Bool) -> Bool {
    guard specifier.mayBePercentSign, let isNumber else { return false }
    return isPositional != (specifier.position != nil) || !specifier.conversion.takesNumber
      || !isNumber(specifier.position ?? next)
  }
}
