internal import EventLoop
internal import Glibc
internal import HTTPClient
internal import JSON
internal import Postgres

/// `postilion doctor`: looks at all that `postilion serve` would need with the same settings. It
/// changes nothing, and may run beside the service.
public enum Doctor {
  /// Looks at everything.
  /// - Parameter values: The variables that the settings were read from.
  public static func examine(
    _ configuration: Configuration, values: [String: String]
  ) async -> Checkup {
    // Before root becomes another account for its database.
    let listening = listening(on: configuration.listen)
    let database = await database(configuration)
    return Checkup(
      entries: [settings(values, unknown: configuration.unknown)] + database
        + [listening, proxies(configuration.proxies, listen: configuration.listen)])
  }

  /// Settings that cannot be read: nothing else can be looked at.
  public static func refused(_ fault: Configuration.Fault) -> Checkup {
    Checkup(entries: [.wrong("settings", fault.description)])
  }

  // MARK: Settings

  static func settings(
    _ values: [String: String], unknown: [(variable: String, nearest: String)]
  ) -> Checkup.Entry {
    let set = Configuration.settings.filter { setting in
      setting.commands.contains(.doctor)
        && (values[setting.variable] != nil || values[setting.fileVariable] != nil)
    }
    let names = set.map(\.variable).joined(separator: ", ")
    let finding =
      set.isEmpty
      ? "None is set: all have their defaults."
      : "Set are \(names). All others have their defaults."
    guard !unknown.isEmpty else { return .ok("settings", finding) }
    let strangers = unknown.map { "\($0.variable) (the nearest is \($0.nearest))" }
    return .note(
      "settings", finding + " Nothing reads \(strangers.joined(separator: ", ")).",
      "Correct the names, or take the variables away.")
  }

  // MARK: Database

  private static func database(_ configuration: Configuration) async -> [Checkup.Entry] {
    if let address = configuration.databaseURL {
      return await server(address, configuration, isPrivate: false)
    }
    let directory = configuration.dataDirectory
    let room = Self.room(for: directory)
    do {
      let place = try EmbeddedPostgres.leaveRoot(for: directory, makes: false)
      switch try EmbeddedPostgres.presence(in: place) {
      case .absent:
        let finding = "There is none in \(directory) yet: postilion serve makes a private one."
        return [.ok("database", finding), room]
      case .stopped:
        return [
          .note(
            "database", "The private PostgreSQL of \(directory) does not run.",
            "Look again while postilion serve runs: then its schema is looked at, too."), room,
        ]
      case .running(let address):
        return await server(try DatabaseAddress(address), configuration, isPrivate: true) + [room]
      }
    } catch {
      return [.wrong("database", "\(error)"), room]
    }
  }

  private static func server(
    _ address: DatabaseAddress, _ configuration: Configuration, isPrivate: Bool
  ) async -> [Checkup.Entry] {
    let loop: EventLoop
    do throws(SystemError) {
      loop = try EventLoop()
    } catch {
      return [.wrong("database", "It was not looked at: \(error).")]
    }
    loop.start()
    defer { loop.stop() }
    let examination = ServerExamination(
      address: address, replica: configuration.readURL, isPrivate: isPrivate,
      loops: configuration.loops, connections: configuration.databaseConnections,
      waitNanoseconds: UInt64(configuration.databaseTimeoutSeconds) * 1_000_000_000, loop: loop)
    return await Task(executorPreference: loop) { await examination.entries() }.value
  }

  // MARK: Disk

  /// The disk on which a directory is, or will be.
  private static func room(for directory: String) -> Checkup.Entry {
    var place = directory
    var status = statvfs()
    while statvfs(place, &status) != 0 {
      guard errno == ENOENT, let slash = place.lastIndex(of: "/"), slash > place.startIndex else {
        place = place.hasPrefix("/") ? "/" : "."
        guard statvfs(place, &status) == 0 else {
          return .wrong("disk", "The free room on the disk of \(directory) cannot be read.")
        }
        break
      }
      place = String(place[..<slash])
    }
    return room(
      free: UInt64(status.f_bavail) * UInt64(status.f_frsize),
      of: UInt64(status.f_blocks) * UInt64(status.f_frsize), for: directory)
  }

  static func room(free: UInt64, of total: UInt64, for directory: String) -> Checkup.Entry {
    let percent = total == 0 ? 0 : free * 100 / total
    let finding = "\(free >> 20) MB are free for \(directory), \(percent) % of the disk."
    if free < Limits.leastRoomBytes {
      return .wrong("disk", finding, "Make room: on a full disk the database takes no changes.")
    }
    if percent < Limits.scarceRoomPercent {
      return .note("disk", finding, "Make room before it is full.")
    }
    return .ok("disk", finding)
  }

  // MARK: Network

  private static func listening(on address: SocketAddress) -> Checkup.Entry {
    if "\(address)".hasSuffix(":0") { return .ok("listen", "The system picks a port.") }
    do throws(SystemError) {
      _ = try TakenAddress(address, listeners: 0)
      return .ok("listen", "\(address) is free: nothing serves there now.")
    } catch {
      guard error.number == EADDRINUSE else {
        return .wrong(
          "listen", "\(address) cannot be listened on (\(error)).",
          "POSTILION_LISTEN names an address of this machine and a port; a port below 1024 takes "
            + "the right to it (AmbientCapabilities=CAP_NET_BIND_SERVICE of systemd).")
      }
    }
    return listener(
      on: "\(address)", health: answer(of: address, to: "/healthz"),
      readiness: answer(of: address, to: "/readyz"))
  }

  /// The finding about a program that already listens on the address, from its own answers.
  static func listener(on address: String, health: String?, readiness: String?) -> Checkup.Entry {
    guard let release = health?.split(separator: "\n").last, release.hasPrefix("postilion ") else {
      return .wrong(
        "listen", "Another program listens on \(address).",
        "Stop it, or set POSTILION_LISTEN to another address.")
    }
    guard let readiness, readiness.hasPrefix("ready") else {
      let reason = readiness ?? "it gives no answer"
      return .wrong("listen", "\(release) runs on \(address) and is not ready: \(reason)")
    }
    return .ok("listen", "\(release) runs on \(address) and is ready.")
  }

  /// The answer of a server of this machine, whatever the status.
  private static func answer(of address: SocketAddress, to path: String) -> String? {
    let reachable = "\(address)".replacing("0.0.0.0:", with: "127.0.0.1:")
      .replacing("[::]:", with: "[::1]:")
    var request = HTTPRequest("GET", "http://\(reachable)\(path)")
    request.connectSeconds = Limits.doctorSeconds
    request.totalSeconds = Limits.doctorSeconds
    var body: [UInt8] = []
    let head = try? HTTPClient(usesProxies: false).perform(request) { _, piece in
      body += piece
      return body.count <= Limits.doctorAnswerBytes
    }
    guard head != nil else { return nil }
    // A problem tells its reason in a member.
    return JSONValue(parsing: body)?["detail"]?.text ?? String(decoding: body, as: UTF8.self)
  }

  /// Whether the service believes the proxies that call for others, and nobody else.
  static func proxies(_ proxies: TrustedProxies, listen: SocketAddress) -> Checkup.Entry {
    let place = "\(listen)"
    let host = place[..<(place.lastIndex(of: ":") ?? place.endIndex)].filter { !"[]".contains($0) }
    let address = IPAddress(host)
    let isLocal = address?.isLoopback ?? false
    let isTrusted = { (address: IPAddress) in
      proxies.networks.contains { $0.contains(address) }
    }
    let open = strangers.filter { $0.addresses.allSatisfy(isTrusted) }.map(\.family)
    if !open.isEmpty {
      return .wrong(
        "proxies",
        "Everybody who calls by \(open.joined(separator: " or ")) is a trusted proxy: a client may "
          + "name any address as its own.",
        "Name the addresses of your proxies in POSTILION_TRUSTED_PROXIES, and no others.")
    }
    guard !proxies.networks.isEmpty else {
      return isLocal
        ? .note(
          "proxies",
          "No proxy is trusted. If one runs on this machine, no client is limited by its address.",
          "If there is one, set POSTILION_TRUSTED_PROXIES=127.0.0.1,::1.")
        : .note(
          "proxies", "\(place) is open to other machines, without TLS, and no proxy is trusted.",
          "Put a proxy with TLS in front, and name its address in POSTILION_TRUSTED_PROXIES.")
    }
    if isLocal, let address, !isTrusted(address) {
      return .wrong(
        "proxies", "Only programs of this machine reach \(place), and none of them is trusted.",
        "Add 127.0.0.1,::1 to POSTILION_TRUSTED_PROXIES, or listen where the proxies can call.")
    }
    let count = proxies.networks.count
    return .ok("proxies", "\(count) \(count == 1 ? "network is" : "networks are") trusted.")
  }

  /// Addresses of documentation (RFC 5737, RFC 3849, RFC 9637), which no proxy has.
  private static let strangers = [
    ("IPv4", ["192.0.2.1", "198.51.100.1", "203.0.113.1"]), ("IPv6", ["2001:db8::1", "3fff::1"]),
  ].map { (family: $0, addresses: $1.compactMap { IPAddress($0) }) }
}
