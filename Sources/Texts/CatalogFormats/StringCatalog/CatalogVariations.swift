internal import ASCII
internal import Localization

/// One step on the way to a text that varies: `device.iphone`, then `plural.one`.
enum CatalogVariation: Hashable {
  case substitution(Spelling)
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
/// | by device, each plain, by width or by plural | `.devices` |
/// | by width, each plain, by device or by plural | `.widths`, or `.devices` |
/// | several of these at one place | the device, then the width, then the plural, then the text:
///   warning `conflicting_variations`; for devices that are not named the next of these |
/// | by substitution and plural | a variable; `%arg` in its texts is its own argument |
///
/// A variable's own argument is the one that was declared, else the N of `%N$#@name@`, else the
/// next. A variable that is below a device or a width belongs to that alone.
///
/// Source: docs/apple.md 5.3 (string catalogs), docs/apple.md 5.4 (the same in XLIFF ids).
struct CatalogVariations {
  /// The contents of one place: a text, or several texts by the property that they vary by.
  fileprivate struct Node {
    var text: String?
    var cases: [PluralCategory: String] = [:]
    var devices: [DeviceClass: Node] = [:]
    var widths: [Int: Node] = [:]
    var substitutions: [Spelling: Substitution] = [:]
  }

  fileprivate struct Substitution {
    var argument: Int?
    var specifier: String?
    var cases: [PluralCategory: String] = [:]
  }

  private var root = Node()
  private var findings: [Finding] = []

  /// Takes the facts of a substitution besides its texts: `argNum` and `formatSpecifier`.
  ///
  /// - Parameter path: the devices and widths that it belongs to.
  mutating func declare(
    _ substitution: Spelling, at path: [CatalogVariation] = [], argument: Int?, specifier: String?
  ) {
    root.change(at: path[...]) {
      $0.substitutions[substitution, default: Substitution()].argument = argument
      $0.substitutions[substitution, default: Substitution()].specifier = specifier
    }
  }

  /// Adds a text; of two at the same place the last counts.
  mutating func add(_ text: String, at path: [CatalogVariation], offset: Int) {
    guard Self.isSound(path) else {
      findings.append(
        Finding(
          offset: offset, code: .unsupportedVariation,
          message: "Variations cannot be nested in this order: this text is left out."))
      return
    }
    var path = path[...]
    guard case .plural(let category)? = path.last else {
      return root.change(at: path) { $0.text = text }
    }
    path.removeLast()
    guard case .substitution(let name)? = path.last else {
      return root.change(at: path) { $0.cases[category] = text }
    }
    root.change(at: path.dropLast()) {
      $0.substitutions[name, default: Substitution()].cases[category] = text
    }
  }

  /// Whether a path leads by one device and one width at most, and then to one plural at most,
  /// which may belong to a substitution.
  private static func isSound(_ path: [CatalogVariation]) -> Bool {
    var rest = path[...]
    if case .plural? = rest.last {
      rest.removeLast()
      if case .substitution? = rest.last { rest.removeLast() }
    }
    var (devices, widths) = (0, 0)
    for step in rest {
      switch step {
      case .device: devices += 1
      case .width: widths += 1
      case .plural, .substitution: return false
      }
    }
    return devices <= 1 && widths <= 1
  }

  /// The entry, or nil when no text could be shown, and the findings about it.
  ///
  /// - Parameter others: texts that show the number of a plural if its own texts do not: the texts
  ///   of the source language, and the key.
  func entry(
    offset: Int, others: OtherNumber = OtherNumber { [] }
  ) -> (entry: Entry?, findings: [Finding]) {
    if let text = plainText { return (.text(text), findings) }
    var findings = self.findings
    func warn(_ code: Diagnostic.Code, _ message: String) {
      findings.append(Finding(offset: offset, severity: .warning, code: code, message: message))
    }
    let nodes = root.nodes
    do throws(Finding) {
      guard nodes.contains(where: { $0.text != nil || !$0.cases.isEmpty }) else {
        if nodes.allSatisfy(\.substitutions.isEmpty), !findings.isEmpty { return (nil, findings) }
        throw Finding(
          offset: offset, code: .missingFormat,
          message: "There is no text that the substitutions belong to.")
      }
      guard nodes.allSatisfy({ $0.substitutions.count <= Limits.variables }),
        nodes.allSatisfy({ $0.widths.count <= Limits.widths })
      else {
        throw Finding(
          offset: offset, code: .limitExceeded,
          message: "There are more than \(Limits.variables) variables or \(Limits.widths) widths.")
      }
      guard nodes.reduce(0, { $0 + $1.copiedBytes }) <= Limits.copiedVariableBytes else {
        throw Finding(
          offset: offset, code: .limitExceeded,
          message: "Each device and width has a copy of the variables: these have more than "
            + "\(Limits.copiedVariableBytes) bytes.")
      }
      if nodes.contains(where: \.isMixed) {
        warn(
          .conflictingVariations,
          "A text and its variations, or two kinds of variation, stand side by side: "
            + "the device counts first, then the width, then the plural.")
      }
      if nodes.contains(where: \.lacksNumber) {
        warn(
          .pluralWithoutNumber,
          "None of the plural's texts shows a number: that of the source text, or of "
            + "the key, decides.")
      }
      var references = VariableReferences()
      let variables = variables(of: root, in: nodes, &references)
      guard let entry = root.entry(variables, &references, others) else { return (nil, findings) }
      let names = nodes.reduce(into: Set<Spelling>()) { $0.formUnion($1.substitutions.keys) }
      findings += try VariableCheck.findings(
        of: entry, variables: names, offset: offset, &references)
      return (entry, findings)
    } catch {
      return (nil, findings + [error])
    }
  }

  /// The text when there is nothing else, and nothing to check.
  private var plainText: String? {
    guard let text = root.text, root.cases.isEmpty, root.devices.isEmpty, root.widths.isEmpty,
      root.substitutions.isEmpty, !text.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    return text
  }

  /// The substitutions of the whole key; they are the same for all devices and widths.
  private func variables(
    of root: Node, in nodes: [Node], _ references: inout VariableReferences
  ) -> [Spelling: PluralVariable] {
    guard !root.substitutions.isEmpty else { return [:] }
    let texts = nodes.compactMap(\.text) + nodes.flatMap(\.cases.values)
    return root.variables(texts, &references)
  }
}

extension CatalogVariations.Node {
  /// Changes the node at a path below this one.
  fileprivate mutating func change(
    at path: ArraySlice<CatalogVariation>, _ change: (inout Self) -> Void
  ) {
    switch path.first {
    case .device(let device):
      devices[device, default: Self()].change(at: path.dropFirst(), change)
    case .width(let width): widths[width, default: Self()].change(at: path.dropFirst(), change)
    case .plural, .substitution, nil: change(&self)
    }
  }

  /// This node and all nodes below it.
  fileprivate var nodes: [Self] {
    [self] + devices.values.flatMap(\.nodes) + widths.values.flatMap(\.nodes)
  }

  /// The bytes of its own substitutions if each text that can show them has a copy; 0 for a single
  /// text.
  fileprivate var copiedBytes: Int {
    guard !substitutions.isEmpty else { return 0 }
    let copies = nodes.count { $0.text != nil || !$0.cases.isEmpty }
    return copies < 2 ? 0 : copies * substitutions.reduce(0) { $0 + $1.value.bytes(named: $1.key) }
  }

  fileprivate var isMixed: Bool {
    [text != nil, !cases.isEmpty, !devices.isEmpty, !widths.isEmpty].count(where: \.self) > 1
  }

  fileprivate var lacksNumber: Bool { !cases.isEmpty && CaseTexts(cases).number == nil }

  /// Its own substitutions as variables.
  ///
  /// - Parameter texts: the texts that may refer to them.
  fileprivate func variables(
    _ texts: [String], _ references: inout VariableReferences
  ) -> [Spelling: PluralVariable] {
    let positions = references.positions(in: texts + substitutions.values.flatMap(\.cases.values))
    var variables: [Spelling: PluralVariable] = [:]
    for (name, substitution) in substitutions {
      variables[name] = substitution.variable(position: positions[name])
    }
    return variables
  }

  /// The entry of this node; nil when it has no text.
  fileprivate func entry(
    _ variables: [Spelling: PluralVariable], _ references: inout VariableReferences,
    _ others: OtherNumber
  ) -> Entry? {
    if !devices.isEmpty {
      var rest = self
      rest.devices = [:]
      var entries: [DeviceClass: Entry] = [:]
      for (device, node) in devices {
        entries[device] = node.entry(node.extending(variables, &references), &references, others)
      }
      return Entry(devices: entries, others: rest.entry(variables, &references, others))
    }
    if !widths.isEmpty {
      var entries: [Int: Entry] = [:]
      for (width, node) in widths {
        entries[width] = node.entry(node.extending(variables, &references), &references, others)
      }
      return Entry(widths: entries)
    }
    guard text != nil || !cases.isEmpty else { return nil }
    let format = format(variables, &references, others)
    return format.variables.isEmpty ? .text(format.text) : .plural(format)
  }

  /// The given variables together with the node's own ones.
  private func extending(
    _ variables: [Spelling: PluralVariable], _ references: inout VariableReferences
  ) -> [Spelling: PluralVariable] {
    guard !substitutions.isEmpty else { return variables }
    let own = self.variables([text].compactMap(\.self), &references)
    return variables.merging(own) { _, own in own }
  }

  private func format(
    _ variables: [Spelling: PluralVariable], _ references: inout VariableReferences,
    _ others: OtherNumber
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
  /// What a copy takes.
  fileprivate func bytes(named name: Spelling) -> Int {
    cases.values.reduce(Limits.variableBytes + name.text.utf8.count) { $0 + $1.utf8.count }
  }

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
