internal import CLibpq

/// How a database is reached: a libpq URI or keyword string, several hosts allowed, or the name of
/// a database (libpq, "Connection Strings"). It may hold a password, so its text never leaves this
/// type but for libpq: the parts that are shown have no secret.
///
/// A string that can be read in two ways is no address. Of `postgres://ann:p@ss/word@db/x` libpq
/// takes `ss` as the name of the host, which it would then quote in an error, and with it a part of
/// the password. So the text that libpq takes as host and port must look like a host and a port,
/// and an `@` in a password is written `%40`.
public struct DatabaseAddress: Sendable, Equatable, CustomStringConvertible {
  /// The string that libpq reads.
  let text: String
  /// The parts that tell where it leads, such as `host=db port=5432 dbname=x user=ann`.
  public let description: String
  /// The secrets in it, as libpq understands them.
  private let secrets: [String]
  private(set) var beginning: SessionBeginning?
  /// The timelines that its sessions have seen; copies of the address share them.
  let timelines = KnownTimelines()

  /// Two addresses are equal if they have the same text: they lead to the same place.
  public static func == (one: Self, other: Self) -> Bool { one.text == other.text }

  /// The same address, whose sessions begin with a command.
  public func beginning(with beginning: SessionBeginning) -> Self {
    var address = self
    address.beginning = beginning
    return address
  }

  /// What is wrong with a string; the description quotes nothing of it.
  public struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
    /// One clause, such as `invalid percent-encoded token`.
    public let description: String
  }

  /// Reads a string.
  public init(_ text: String) throws(Fault) {
    self.text = text
    let isURI = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    guard isURI || text.contains("=") else {
      guard !text.contains(where: { "@:/".contains($0) }) else {
        throw Fault(description: "it begins with no postgres:// and has no keyword=value")
      }
      (description, secrets) = ("dbname=\(text)", [])
      return
    }
    if isURI, Self.isAmbiguous(text) {
      throw Fault(
        description: "an @ or / stands where none belongs; in a password write %40 and %2F")
    }
    let options = try Self.options(text)
    for option in options where !option.isPlausible {
      throw Fault(description: "its \(option.keyword) is no \(option.keyword)")
    }
    description = options.filter { Self.shown.contains($0.keyword) }
      .map { "\($0.keyword)=\($0.value)" }.joined(separator: " ")
    secrets = options.filter(\.isSecret).map(\.value).filter { $0.count >= Limits.secretCharacters }
  }

  /// A message of libpq about this address, without its secrets.
  func hidingSecrets(in message: String) -> String {
    secrets.reduce(message) { $0.replacing($1, with: "…") }
  }

  private static let shown = ["host", "hostaddr", "port", "dbname", "user"]

  /// Whether an `@` stands behind the host of a URI, or two stand before it: then the password has
  /// an `@` of its own, or a slash, and libpq ends the password too early.
  private static func isAmbiguous(_ uri: String) -> Bool {
    let rest = uri.split(separator: "://", maxSplits: 1).last ?? ""
    guard let end = rest.firstIndex(where: { "@/".contains($0) }), rest[end] == "@" else {
      return rest.prefix { $0 != "?" }.contains("@")
    }
    return rest[rest.index(after: end)...].prefix { $0 != "?" }.contains("@")
  }

  /// One parameter, and what libpq says of it.
  struct Option {
    let keyword: String
    let value: String
    /// libpq marks fields of passwords so that programs hide them (`dispchar` of PQconninfoOption).
    let isSecret: Bool

    /// Whether the value may belong to its keyword: a name, an address or a path, a number.
    var isPlausible: Bool {
      let elements = value.split(separator: ",")
      switch keyword {
      case "host", "hostaddr":
        return elements.allSatisfy { host in
          host.hasPrefix("/") || host.hasPrefix("@")
            || host.allSatisfy { $0.isLetter || $0.isNumber || "-._:%".contains($0) }
        }
      case "port": return elements.allSatisfy { UInt16($0) ?? 0 > 0 }
      case "dbname": return !value.contains("://")
      default: return true
      }
    }
  }

  static func options(_ text: String) throws(Fault) -> [Option] {
    var message: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(text, &message)
    defer {
      PQconninfoFree(options)
      PQfreemem(message)
    }
    guard let options else {
      // The part before a quotation: libpq quotes the string.
      let reason = message.map { String(cString: $0) } ?? "out of memory"
      let words = reason.prefix { !"\"'`«»„“”‘’:\n".contains($0) }
      let clause = words.split(separator: " ").joined(separator: " ")
      throw Fault(description: clause == "missing" ? "a keyword lacks its =" : clause)
    }
    var found: [Option] = []
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        found.append(
          Option(
            keyword: String(cString: keyword), value: String(cString: value),
            isSecret: option.pointee.dispchar.map { String(cString: $0) } == "*"))
      }
      option += 1
    }
    return found
  }
}
