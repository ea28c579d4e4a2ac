internal import JSON

/// Values by name, as command lines have them.
enum Assignments {
  /// `NAME=TEXT` and `NAME:=JSON`: `name=Zoé` is a text, `count:=3` a number.
  static func json(_ words: [String], option: String) throws(Exit) -> JSONObject {
    var values: JSONObject = [:]
    for word in words {
      let (name, text) = try split(word, option: option)
      guard name.hasSuffix(":") else {
        values[name] = .string(text)
        continue
      }
      guard let value = JSONValue(parsing: Array(text.utf8)) else {
        throw Exit(ExitCode.usage, "\(option) \(name)= has no JSON after it, but \(text).")
      }
      values[String(name.dropLast())] = value
    }
    return values
  }

  /// `NAME=TEXT`, all of them texts.
  static func texts(_ words: [String], option: String) throws(Exit) -> [String: String] {
    var values: [String: String] = [:]
    for word in words {
      let (name, text) = try split(word, option: option)
      values[name] = text
    }
    return values
  }

  /// One `NAME=TEXT`.
  static func split(
    _ word: String, option: String
  ) throws(Exit) -> (name: String, text: String) {
    guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
      throw Exit(ExitCode.usage, "\(option) is NAME=VALUE, not \"\(word)\".")
    }
    return (String(word[..<sign]), String(word[word.index(after: sign)...]))
  }
}
