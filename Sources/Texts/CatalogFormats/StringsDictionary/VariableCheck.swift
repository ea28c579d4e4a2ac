internal import ASCII
internal import Localization

/// Checks the references in the texts of an entry.
///
/// | case | result |
/// |---|---|
/// | a reference to no variable | error: the runtime finds no text for it |
/// | a variable that refers to itself | error |
/// | a variable without texts | error |
/// | a variable without `other` | warning: a number of a category without text shows nothing |
/// | a variable that nothing refers to | warning |
enum VariableCheck {
  /// The warnings about an entry; an error means that it could not be shown.
  ///
  /// `variables` are all given variables, whether or not they are part of the entry; `references`
  /// are the references that are known already.
  static func findings(
    of entry: Entry, variables: Set<Spelling>, offset: Int, _ references: inout VariableReferences
  ) throws(Finding) -> [Finding] {
    var findings: [Finding] = []
    var unreferenced = variables
    var incomplete: Set<Spelling> = []
    func warn(_ code: Diagnostic.Code, _ message: String) {
      findings.append(Finding(offset: offset, severity: .warning, code: code, message: message))
    }
    for format in entry.formats {
      let reached = reached(from: format.text, variables: format.variables, &references)
      unreferenced.subtract(reached)
      if let name = reached.filter({ format.variables[$0] == nil }).min() {
        throw Finding(
          offset: offset, code: .undefinedVariable,
          message: "The text refers to the variable '\(name.text.quoted)', which is not defined.")
      }
      if let name = firstOfCycle(format.variables, &references) {
        throw Finding(
          offset: offset, code: .cyclicVariables,
          message: "The variable '\(name.text.quoted)' leads in a circle.")
      }
      if let name = format.variables.filter({ $0.value.cases.isEmpty }).keys.min() {
        throw Finding(
          offset: offset, code: .missingOther,
          message: "The variable '\(name.text.quoted)' has no texts.")
      }
      incomplete.formUnion(format.variables.filter { $0.value.cases[.other] == nil }.keys)
    }
    for name in incomplete.sorted() {
      warn(.missingOther, "The variable '\(name.text.quoted)' has no text for 'other'.")
    }
    for name in unreferenced.sorted() {
      warn(.unreferencedVariable, "No text refers to the variable '\(name.text.quoted)'.")
    }
    return findings
  }

  /// The names that a text refers to, directly or through the texts of variables.
  static func reached(
    from text: String, variables: [Spelling: PluralVariable], _ references: inout VariableReferences
  ) -> Set<Spelling> {
    var open = references.names(in: [text])
    var reached: Set<Spelling> = []
    while let name = open.popFirst() {
      guard reached.insert(name).inserted, let variable = variables[name] else { continue }
      open.formUnion(references.names(in: variable.cases.values))
    }
    return reached
  }

  /// A variable that refers to itself, or leads to one that does. Variables that refer to nothing
  /// more are taken away again and again; this is the first of the rest.
  private static func firstOfCycle(
    _ variables: [Spelling: PluralVariable], _ references: inout VariableReferences
  ) -> Spelling? {
    var open: [Spelling: Set<Spelling>] = [:]
    for (name, variable) in variables {
      open[name] = references.names(in: variable.cases.values).intersection(variables.keys)
    }
    while true {
      let leaves = open.filter(\.value.isEmpty).keys
      guard !leaves.isEmpty else { return open.keys.min() }
      for leaf in leaves { open[leaf] = nil }
      open = open.mapValues { $0.subtracting(leaves) }
    }
  }
}

extension Entry {
  fileprivate var formats: [PluralFormat] {
    switch self {
    case .text(let text): [PluralFormat(text)]
    case .plural(let format): [format]
    case .devices(let formats): Array(formats.values)
    case .widths(let formats): Array(formats.values)
    }
  }
}

extension String {
  /// The beginning of a name, short enough for a message.
  var quoted: String {
    let start = unicodeScalars.prefix(Limits.quotedScalars)
    return start.endIndex == endIndex ? self : String(start) + "…"
  }
}
