internal import JSON

/// Values by name, as command lines have them.
enum Assignments {
  /// `NAME=TEXT` and `NAME:=JSON`: `name=Zoé` is a text, `count:=3` a number. Each name once.
  static func json(_ words: [String], option: String) throws(Exit) -> JSONObject {
    var values: JSONObject = [:]
    for word in words {
      let (sign, text) = try split(word, option: option)
      let isJSON = sign.hasSuffix(":")
      let name = isJSON ? String(sign.dropLast()) : sign
      guard let value = isJSON ? JSONValue(parsing: Array(text.utf8)) : JSONValue.string(text)
      else {
        throw Exit(ExitCode.usage, "\(option) \(sign)= has no JSON after it, but \(text).")
      }
      guard values[name] == nil else { throw twice(name, option) }
      values[name] = value
    }
    return values
  }

  /// `NAME=TEXT`, all of them texts, each name once.
  static func texts(_ words: [String], option: String) throws(Exit) -> [String: String] {
    var values: [String: String] = [:]
    for word in words {
      let (name, text) = try split(word, option: option)
      guard values.updateValue(text, forKey: name) == nil else { throw twice(name, option) }
    }
    return values
  }

  private static func twice(_ name: String, _ option: String) -> Exit {
    Exit(ExitCode.usage, "\(option) \(name)=… is there twice: give each name once.")
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
