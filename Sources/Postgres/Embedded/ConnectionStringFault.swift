internal import CLibpq

/// What libpq finds wrong with a connection string, before anything is connected; `nil` when it
/// reads it. A string that is neither a URI nor has an equals sign is a database's name (libpq,
/// "Connection Strings").
public func connectionStringFault(_ text: String) -> String? {
  let isURI = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  guard isURI || text.contains("=") else { return nil }
  var message: UnsafeMutablePointer<CChar>?
  let options = PQconninfoParse(text, &message)
  defer {
    PQconninfoFree(options)
    PQfreemem(message)
  }
  guard options == nil else { return nil }
  // The part before a quotation: libpq quotes the string, which may hold a password.
  let reason = message.map { String(cString: $0) } ?? "out of memory"
  return String(reason.prefix { $0 != "\"" && $0 != "\n" })
}
