/// The physical bound of a row, in a process of its own: what the bare mechanisms alone reach with
/// the same load.
struct Bound: Sendable {
  /// What the process does for a request.
  enum Kind: String {
    /// Answers.
    case http
    /// Reads the installation, then answers.
    case select
    /// Writes the installation, its tokens and their history, then answers.
    case upsert
    /// Not a server: reads all installations once.
    case cursor
  }

  /// Each has a batch under way while the other is filled.
  private static let connections = 2
  /// Plans that the sizes of tables do not change.
  private static let settings =
    "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off"

  let child: Child
  let port: Int

  /// Starts a server that gives every request this answer.
  static func start(
    _ kind: Kind, answer: String, of stage: Stage? = nil, in directory: WorkDirectory
  ) throws(Fault) -> Bound {
    let file = directory.file("answer")
    try write(answer, to: file)
    var command = [CommandLine.arguments[0], "--bound", "kind=\(kind.rawValue)", "answer=\(file)"]
    if let stage { command += options(stage) }
    let child = try Child.start(command, output: directory.file("bound.log"))
    do throws(Fault) {
      guard let port = Int(try child.waitFor(line: "bound ", seconds: 10)) else {
        throw Fault("its line has no port")
      }
      return Bound(child: child, port: port)
    } catch {
      child.stop()
      throw Fault("bound: \(error.reason)")
    }
  }

  func stop() { child.stop() }

  var target: Target { Target(url: "http://127.0.0.1:\(port)", process: child.process) }

  /// The command that reads all installations once.
  static func cursor(_ stage: Stage) -> [String] {
    [CommandLine.arguments[0], "--bound", "kind=cursor"] + options(stage)
  }

  private static func options(_ stage: Stage) -> [String] {
    [
      "socket=\(stage.database.postmaster.socketDirectory)", "app=\(stage.app)",
      "profiles=\(stage.profiles.count)",
    ]
  }

  /// What the process does: `bench --bound kind=http answer=…`.
  static func serve(_ options: Options) throws(Fault) {
    guard let kind = Kind(rawValue: try options.text("kind")) else {
      throw Fault("kind is http, select, upsert or cursor")
    }
    var statements: [BareStatement] = []
    switch kind {
    case .http: break
    case .select: statements = [.select]
    case .upsert: statements = BareStatement.upsert
    case .cursor:
      let rows = try BareCursor.run(try database(options), app: Int(try options.number("app")))
      say("rows \(rows)")
      return
    }
    var databases: [BareDatabase] = []
    for _ in 0..<(statements.isEmpty ? 0 : connections) {
      databases.append(
        try BareDatabase(
          "\(try database(options)) options='\(settings)'", statements,
          app: Int(try options.number("app")), profiles: Int(try options.number("profiles"))))
    }
    var server = try BareServer(
      answer: Array(try contents(try options.text("answer")).utf8), databases: databases)
    try server.serve()
  }

  private static func database(_ options: Options) throws(Fault) -> String {
    "host='\(try options.text("socket"))' user=postilion dbname=postilion"
  }
}
