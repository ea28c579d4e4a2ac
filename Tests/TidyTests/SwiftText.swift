// Just enough reading of Swift for the rules. The code is in swift-format's form, so declarations
// start their lines.

/// The names of the types that a line declares.
func declaredTypes(in line: Substring) -> [Substring] {
  let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
  let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
  return zip(words, words.dropFirst())
    .filter { kinds.contains($0) && $1.first?.isUppercase == true }
    .map { $1 }
}

/// `HTTPFieldName2` → HTTP… is taken as single letters, which no rule asks for: `H T T P Field
/// Name2`. Digits belong to the word before them, so that `Base64` is not `Base`.
func camelCaseWords(of name: Substring) -> [String] {
  var words: [String] = []
  for character in name {
    if character.isUppercase || words.isEmpty || !(character.isLetter || character.isNumber) {
      words.append(String(character))
    } else {
      words[words.count - 1].append(character)
    }
  }
  return words
}

func hasWord(_ word: String, in line: Substring) -> Bool {
  line.ranges(of: word).contains { range in
    let neighbors = [line[..<range.lowerBound].last, line[range.upperBound...].first]
    return !neighbors.contains { $0.map { $0.isLetter || $0.isNumber } ?? false }
  }
}

/// A `!` right behind a value or a type; `!=` and a negation stand behind a space or a bracket.
func hasForceUnwrap(_ line: Substring) -> Bool {
  zip(line.indices, line.indices.dropFirst()).contains { before, mark in
    guard line[mark] == "!" else { return false }
    let value = line[before]
    let isValue = value.isLetter || value.isNumber || value == "_" || ")]}?".contains(value)
    let next = line[line.index(after: mark)...].first
    let word = line[...before].reversed().prefix { $0.isLetter }.reversed()
    return isValue && next != "=" && !["try", "as"].contains(String(word))
  }
}

/// What is wrong about the name of a function or test that a line of a test file declares.
func testNameFaults(in code: [Substring], at index: Int) -> [String] {
  let line = code[index]
  var faults: [String] = []
  for attribute in ["@Test(", "@Suite("] {
    guard let range = line.firstRange(of: attribute) else { continue }
    // The first argument may stand on the line below.
    let rest = line[range.upperBound...].drop { $0 == " " }
    let argument = rest.isEmpty ? code.dropFirst(index + 1).first?.drop { $0 == " " } : rest
    if let sign = argument?.first, sign == "\"" || sign == "#" { faults.append("a display name") }
  }
  if let name = line.firstMatch(of: /\bfunc (`[^`]*`|\w+)/)?.output.1 {
    if name.first == "`" {
      faults.append("a name in backticks")
    } else if name.contains("_") || name.first?.isLowercase != true {
      faults.append("the name \(name)")
    }
  }
  return faults
}

struct FunctionExtent {
  let firstLine: Int
  let lineCount: Int
}

/// The functions and initialisers with a body, by counting brackets from the line that starts one.
func functions(in code: [Substring]) -> [FunctionExtent] {
  code.indices.compactMap { start in
    let words = code[start].split { !($0.isLetter || $0 == "@") }
    let modifiers = words.prefix { $0 != "func" && $0 != "init" && $0 != "deinit" }
    guard modifiers.count < words.count, modifiers.allSatisfy({ isModifier($0) }) else {
      return nil
    }
    return bodyEnd(in: code, from: start).map {
      FunctionExtent(firstLine: start + 1, lineCount: $0 - start + 1)
    }
  }
}

private func isModifier(_ word: Substring) -> Bool {
  word.hasPrefix("@")
    || [
      "public", "package", "internal", "fileprivate", "private", "static", "class", "final",
      "override", "mutating", "nonmutating", "convenience", "required", "nonisolated", "consuming",
      "borrowing", "isolated", "unsafe", "async", "inlinable", "discardableResult",
    ].contains(word)
}

/// The line on which the body that starts behind `start`'s signature closes; `nil` without a body.
private func bodyEnd(in code: [Substring], from start: Int) -> Int? {
  var parentheses = 0
  var braces = 0
  for index in code[start...].indices {
    for character in code[index] {
      switch character {
      case "(", "[": parentheses += 1
      case ")", "]": parentheses -= 1
      case "{" where parentheses == 0 || braces > 0: braces += 1
      case "}" where braces > 0:
        braces -= 1
        if braces == 0 { return index }
      default: break
      }
    }
    let next = index + 1 < code.endIndex ? code[index + 1].drop { $0 == " " } : ""
    let goesOn = [")", "{", "where", "->", "async", "throws"].contains { next.hasPrefix($0) }
    if braces == 0 && parentheses == 0 && !goesOn { return nil }
  }
  return nil
}
