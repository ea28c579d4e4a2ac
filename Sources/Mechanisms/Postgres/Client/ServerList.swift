internal import CLibpq
internal import EventLoop
internal import Glibc

/// The servers that a connection string names. They are tried one by one, each with a time of its
/// own: libpq does not leave a server that says nothing, such as a machine without power.
struct ServerList: Equatable {
  /// Values for libpq that stand above the string's, by keyword.
  let servers: [[String: String]]
  /// Whether there are others to turn to.
  let hasSeveral: Bool
  /// The kind of server, where the string does not say it: of several the primary is wanted, as
  /// all others refuse changes.
  let target: String?
  /// The settings that the string's `options` name (postgres, `-c` and `--`), in lower case.
  let settings: Set<String>

  /// Reads a string (libpq, "Connection Strings"). A string that libpq does not understand is left
  /// to libpq. So are lists of different lengths, lists with a gap for libpq's own default, and
  /// servers whose address may be given elsewhere.
  ///
  ///     postgres://a,b:5433/x → a at 5432, b at 5433, read-write
  init(_ conninfo: String) {
    let options = (try? DatabaseAddress.options(conninfo)) ?? []
    let said = Dictionary(options.map { ($0.keyword, $0.value) }) { $1 }
    settings = Set(said["options"].map(Self.names) ?? [])
    let lists = ["host", "hostaddr"].compactMap { keyword in
      said[keyword].map { (keyword, Self.elements($0)) }
    }
    let count = lists.map { $0.1.count }.max() ?? 1
    let ports = said["port"].map(Self.elements) ?? []
    hasSeveral = count > 1
    target = hasSeveral && said["target_session_attrs"] == nil ? "read-write" : nil
    guard hasSeveral, [0, 1, count].contains(ports.count),
      lists.allSatisfy({ $0.1.count == count && !$0.1.contains("") })
    else {
      let isWhole = !hasSeveral && said["service"] == nil && getenv("PGHOSTADDR") == nil
      servers = [isWhole ? said.filter { ["host", "hostaddr"].contains($0.key) } : [:]]
      return
    }
    servers = (0..<count).map { index in
      var server: [String: String] = [:]
      for (keyword, values) in lists { server[keyword] = values[index] }
      if let port = ports.count == count ? ports[index] : ports.first {
        // libpq heeds no empty value.
        server["port"] = port.isEmpty ? "5432" : port
      }
      return server
    }
  }

  /// The name of a server whose address is to be looked up: its host, unless that is an address or
  /// a path, or the address is given.
  static func name(of server: [String: String]) -> String? {
    guard let host = server["host"], !host.isEmpty, server["hostaddr"] == nil,
      !host.hasPrefix("/"), !host.hasPrefix("@"), IPAddress(host) == nil
    else { return nil }
    return host
  }

  private static func elements(_ list: String) -> [String] {
    list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// The names of settings: `-c name=value`, `-cname=value` or `--name=value`.
  private static func names(_ options: String) -> [String] {
    options.split(separator: " ").compactMap { word in
      guard let end = word.firstIndex(of: "=") else { return nil }
      let isMarked = word.hasPrefix("-c") || word.hasPrefix("--")
      return word[..<end].dropFirst(isMarked ? 2 : 0).lowercased().replacing("-", with: "_")
    }
  }
}
