internal import Localization

/// One step on the way to a text that varies: `device.iphone`, then `plural.one`.
enum CatalogVariation: Hashable {
  case substitution(String)
  case device(DeviceClass)
  case width(Int)
  case plural(PluralCategory)
}

/// Collects the texts of one key in one localization of a string catalog, each with the
/// variations that lead to it, and makes an entry of them.
///
/// | texts | entry |
/// |---|---|
/// | one without variations | `.text`, or `.plural` with the substitutions that it refers to |
/// | by plural | `.plural`: `%#@value@`, `value` being the first number in the texts, or else in
///   those of the source language or in the key |
/// | by device, each plain or by plural | `.devices` |
/// | by width, each plain | `.widths` |
/// | by substitution and plural | a variable; `%arg` in its texts is its own argument |
///
/// A variable's own argument is the one that was declared, else the N of `%N$#@name@`, else the
/// next.
///
/// Source: docs/apple.md 5.3 (string catalogs), docs/apple.md 5.4 (the same in XLIFF ids).
struct CatalogVariations {
  /// The texts at one place: one, or one per category.
  fileprivate struct Node {
    var text: String?
    var cases: [PluralCategory: String] = [:]
  }

  fileprivate struct Substitution {
    var argument: Int?
    var specifier: String?
    var cases: [PluralCategory: String] = [:]
  }

  private var root = Node()
  private var devices: [DeviceClass: Node] = [:]
  private var widths: [Int: Node] = [:]
  private var substitutions: [String: Substitution] = [:]
  private var findings: [Finding] = []

  /// Says what is known of a substitution besides its texts: `argNum` and `formatSpecifier`.
  mutating func declare(_ substitution: String, argument: Int?, specifier: String?) {
    substitutions[substitution, default: Substitution()].argument = argument
    substitutions[substitution, default: Substitution()].specifier = specifier
  }

  /// Adds a text; of two at the same place the last counts.
  mutating func add(_ text: String, at path: [CatalogVariation], offset: Int) {
    switch (path.first, path.dropFirst().first, path.count) {
    case (nil, _, _): root.text = text
    case (.plural(let category), _, 1): root.cases[category] = text
    case (.device(let device), _, 1): devices[device, default: Node()].text = text
    case (.device(let device), .plural(let category), 2):
      devices[device, default: Node()].cases[category] = text
    case (.width(let width), _, 1): widths[width, default: Node()].text = text
    case (.substitution(let name), .plural(let category), 2):
      substitutions[name, default: Substitution()].cases[category] = text
    default:
      findings.append(
        Finding(
          offset: offset, code: .unsupportedVariation,
          message: "Variations cannot be nested in this order: this text is left out."))
    }
  }

  /// The entry, or nil when no text could be shown, and what there is to say about it.
  ///
  /// - Parameter others: texts that show the number of a plural whose own do not: those of the
  ///   source language, and the key.
  func entry(
    offset: Int, others: () -> [String] = { [] }
  ) -> (entry: Entry?, findings: [Finding]) {
    if let text = plainText { return (.text(text), findings) }
    var findings = self.findings
    do throws(Finding) {
      let kinds = [root.text != nil, !root.cases.isEmpty, !devices.isEmpty, !widths.isEmpty]
      guard kinds.count(where: \.self) <= 1, devices.values.allSatisfy({ !$0.isMixed }) else {
        throw Finding(
          offset: offset, code: .conflictingVariations,
          message: "A text and its variations, or two kinds of variation, stand side by side.")
      }
      guard kinds.contains(true) else {
        if substitutions.isEmpty, !findings.isEmpty { return (nil, findings) }
        throw Finding(
          offset: offset, code: .missingFormat,
          message: "There is no text that the substitutions belong to.")
      }
      guard substitutions.count <= Limits.variables, widths.count <= Limits.widths else {
        throw Finding(
          offset: offset, code: .limitExceeded,
          message: "There are more than \(Limits.variables) variables or \(Limits.widths) widths.")
      }
      if ([root] + devices.values).contains(where: \.lacksNumber) {
        findings.append(
          Finding(
            offset: offset, severity: .warning, code: .pluralWithoutNumber,
            message: "None of the plural's texts shows a number: that of the source text, or of "
              + "the key, decides."))
      }
      var references = VariableReferences()
      let entry = entry(&references, others)
      findings += try VariableCheck.findings(
        of: entry, variables: Set(substitutions.keys), offset: offset, &references)
      return (entry, findings)
    } catch {
      return (nil, findings + [error])
    }
  }

  /// The text when there is nothing else, and nothing to check.
  private var plainText: String? {
    guard let text = root.text, root.cases.isEmpty, devices.isEmpty, widths.isEmpty,
      substitutions.isEmpty, !text.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    return text
  }

  private func entry(
    _ references: inout VariableReferences, _ others: () -> [String]
  ) -> Entry {
    let variables = variables(&references)
    func format(_ node: Node) -> PluralFormat { node.format(variables, &references, others) }
    if !devices.isEmpty { return .devices(devices.mapValues(format)) }
    if !widths.isEmpty { return .widths(widths.mapValues(format)) }
    let whole = format(root)
    return whole.variables.isEmpty ? .text(whole.text) : .plural(whole)
  }

  /// The substitutions; they are the same for all devices and widths.
  private func variables(_ references: inout VariableReferences) -> [String: PluralVariable] {
    guard !substitutions.isEmpty else { return [:] }
    let nodes = [root] + devices.values + widths.values
    let texts = nodes.compactMap(\.text) + nodes.flatMap(\.cases.values)
    let positions = references.positions(in: texts + substitutions.values.flatMap(\.cases.values))
    var variables: [String: PluralVariable] = [:]
    for (name, substitution) in substitutions {
      variables[name] = substitution.variable(position: positions[name])
    }
    return variables
  }
}

extension CatalogVariations.Node {
  fileprivate var isMixed: Bool { text != nil && !cases.isEmpty }

  fileprivate var lacksNumber: Bool { !cases.isEmpty && CaseTexts(cases).number == nil }

  fileprivate func format(
    _ variables: [String: PluralVariable], _ references: inout VariableReferences,
    _ others: () -> [String]
  ) -> PluralFormat {
    var variables = variables
    var text = text ?? ""
    if !cases.isEmpty {
      var name = "value"
      while variables[name] != nil { name += "_" }
      variables[name] = CaseTexts(cases).variable(others: others)
      text = "%#@\(name)@"
    }
    let reached = VariableCheck.reached(from: text, variables: variables, &references)
    return PluralFormat(text, variables: variables.filter { reached.contains($0.key) })
  }
}

extension CatalogVariations.Substitution {
  /// `%arg` becomes `%2$lld` where the argument's number is known, else `%lld`.
  ///
  /// - Parameter position: the N of all its references `%N$#@name@`.
  fileprivate func variable(position: Int?) -> PluralVariable {
    let specifier = specifier ?? CaseTexts(cases).number?.specifier ?? "d"
    let own = (argument ?? position).map { "%\($0)$\(specifier)" } ?? "%\(specifier)"
    return PluralVariable(
      argument: argument, specifier: specifier,
      cases: cases.mapValues { CaseTexts.replacingArgument(in: $0, by: own) })
  }
}
