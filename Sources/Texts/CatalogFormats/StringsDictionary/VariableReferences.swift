internal import ASCII
internal import Localization

/// References `%#@name@` in texts. Each text is read once, however often it is asked for.
///
/// The texts of one key are walked for each of its devices and by each check, and a text may refer
/// to variables some thousand times: 14 MB of them took nine seconds.
struct VariableReferences {
  private struct Reference: Hashable {
    var name: Spelling
    var position: Int?
  }

  private var known: [Spelling: Set<Reference>] = [:]

  /// The names of the variables.
  mutating func names(in texts: some Sequence<String>) -> Set<Spelling> {
    var names: Set<Spelling> = []
    for text in texts {
      for reference in references(in: text) { names.insert(reference.name) }
    }
    return names
  }

  /// The argument of each variable as far as all references to it say the same one.
  mutating func positions(in texts: some Sequence<String>) -> [Spelling: Int] {
    var positions: [Spelling: Set<Int?>] = [:]
    for text in texts {
      for reference in references(in: text) {
        positions[reference.name, default: []].insert(reference.position)
      }
    }
    return positions.compactMapValues { $0.count == 1 ? $0.first ?? nil : nil }
  }

  private mutating func references(in text: String) -> Set<Reference> {
    // Few texts refer to variables, and the parser is ten times slower than this look.
    guard text.utf8.contains(UInt8(ascii: "#")) else { return [] }
    if let references = known[text] { return references }
    var references: Set<Reference> = []
    for case .specifier(let specifier, _) in FormatParser(text) {
      guard case .variable(let name) = specifier.conversion else { continue }
      references.insert(Reference(name: name, position: specifier.position))
    }
    known[text] = references
    return references
  }
}
