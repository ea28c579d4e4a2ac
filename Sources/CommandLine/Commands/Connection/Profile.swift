internal import JSON

/// A service by name, as the file of profiles has it:
///
///     {"default": {"url": "https://push.example.com", "key": "pst_admin_…", "app": "food"}}
struct Profile: Equatable {
  var url: String?
  var key: String?
  var app: String?
  /// The path of a file with the certificates that are trusted; `ca_file` in the file.
  var authorities: String?

  /// Reads the file.
  /// - Throws: ``Exit`` that says what is wrong with it.
  static func all(_ bytes: [UInt8], file: String) throws(Exit) -> [String: Profile] {
    guard case .object(let members)? = JSONValue(parsing: bytes) else {
      throw Exit(ExitCode.configuration, "\(file) is no JSON object of profiles.")
    }
    var profiles: [String: Profile] = [:]
    for (name, value) in members {
      guard case .object(let fields) = value else {
        throw Exit(ExitCode.configuration, "\(file): the profile \(name) is no object.")
      }
      profiles[name] = try Profile(fields, name, file)
    }
    return profiles
  }
}

extension Profile {
  fileprivate init(_ fields: JSONObject, _ name: String, _ file: String) throws(Exit) {
    for (field, value) in fields {
      guard case .string(let text) = value else {
        throw Exit(ExitCode.configuration, "\(file): \(field) of \(name) is no text.")
      }
      switch field {
      case "url": url = text
      case "key": key = text
      case "app": app = text
      case "ca_file": authorities = text
      default:
        throw Exit(
          ExitCode.configuration,
          "\(file): \(name) has \(field); a profile has url, key, app and ca_file.")
      }
    }
  }
}
