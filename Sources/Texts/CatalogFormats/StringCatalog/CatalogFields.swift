internal import ASCII
internal import JSON

extension JSONNode.Member {
  /// The members, all of them.
  func object() throws(Finding) -> [JSONNode.Member] {
    guard case .object(let members) = value.content else { throw wrongType("an object") }
    return members
  }

  func array() throws(Finding) -> [JSONNode] {
    guard case .array(let elements) = value.content else { throw wrongType("an array") }
    return elements
  }

  func string() throws(Finding) -> String {
    guard case .scalar(.string(let text)) = value.content else { throw wrongType("a string") }
    return text
  }

  func integer() throws(Finding) -> Int64 {
    guard case .scalar(.integer(let number)) = value.content else {
      throw wrongType("a whole number")
    }
    return number
  }

  func wrongType(_ expected: String) -> Finding {
    fault(.wrongType, "This should be \(expected).")
  }

  /// A fault at the member's name.
  func fault(_ code: Diagnostic.Code, _ message: String) -> Finding {
    Finding(offset: offset, code: code, message: message)
  }
}

extension [JSONNode.Member] {
  /// The last field of this name; null is none.
  subscript(name: String) -> JSONNode.Member? {
    last { $0.name.isSpelled(like: name) }.flatMap { $0.value.content == .scalar(.null) ? nil : $0 }
  }

  /// The members, each name once: the last one counts, with a warning for each that it replaces.
  func distinct(_ findings: inout FindingList) -> [JSONNode.Member] {
    var places: [Spelling: Int] = Dictionary(minimumCapacity: count)
    var isLast = [Bool](repeating: true, count: count)
    for (index, member) in enumerated() {
      guard let former = places.updateValue(index, forKey: Spelling(member.name)) else { continue }
      isLast[former] = false
      findings.warn(
        .duplicateKey, at: member.offset, "This key was already there; the last value counts.")
    }
    return places.count == count ? self : zip(self, isLast).filter(\.1).map(\.0)
  }
}
