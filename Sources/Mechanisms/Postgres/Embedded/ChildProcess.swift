internal import CLinux
internal import Glibc

/// Starts programs beside the service: unlike Foundation's `Process`, in a session of their own (a
/// Ctrl-C at the terminal is for the service, which then stops them in order; and a program that
/// somebody runs in the database cannot type into the terminal of root, TIOCSTI), with the
/// default signal mask (the service blocks the signals that its event loop reads), and without the
/// descriptors of the service: others may wait until the last copy of one is closed.
enum ChildProcess {
  /// Starts a program in `/` and returns its process id; the caller waits for it.
  ///
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - environment: `NAME=value` pairs.
  ///   - output: where its output goes; the caller closes it.
  static func spawn(
    _ arguments: [String], environment: [String], output: Int32
  ) throws(EmbeddedPostgresError) -> pid_t {
    // PostgreSQL's programs want a working directory that they may read.
    let command = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"] + arguments
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | postilion_spawn_session
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var argumentPointers = command.map { strdup($0) } + [nil]
    var environmentPointers = environment.map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
    var process: pid_t = 0
    let result = posix_spawn(
      &process, command[0], &actions, &attributes, &argumentPointers, &environmentPointers)
    guard result == 0 else {
      throw .system(action: "start \(arguments[0])", reason: String(cString: strerror(result)))
    }
    return process
  }

  /// Waits for a child's end; returns 0 for success, its exit status, or 128 + the signal.
  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// The first line that a shell command writes; `nil` when there is none.
  static func firstLine(of command: String, environment: [String]) -> String? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    let arguments = ["/bin/sh", "-c", "\(command) 2>/dev/null"]
    let process = try? spawn(arguments, environment: environment, output: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    guard let process else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    var count = 0
    while count < bytes.count {
      let more = bytes[count...].withUnsafeMutableBytes { read(ends[0], $0.baseAddress, $0.count) }
      guard more > 0 else { break }
      count += more
    }
    _ = wait(for: process)
    let line = bytes[..<count].split(separator: UInt8(ascii: "\n")).first
    return line.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The variables that programs beside the service get, and no others of the service. A user who may
/// run a program in the database (`COPY … FROM PROGRAM`) can read PostgreSQL's variables, and the
/// service has its root key in its own. Variables of PostgreSQL (`PG…`), and of languages, would
/// also change what it does.
struct ChildEnvironment {
  /// Where programs are looked for.
  let path: [String]
  /// `NAME=value`.
  let pairs: [String]

  /// The names of the variables that are passed on: where programs are, and where their libraries
  /// are.
  private static let passedOn = ["PATH", "LD_LIBRARY_PATH"]

  /// From the variables of the service.
  init(_ inherited: [String: String]) {
    path = (inherited["PATH"] ?? "").split(separator: ":").map(String.init)
    pairs =
      Self.passedOn.compactMap { name in inherited[name].map { "\(name)=\($0)" } } + ["LC_ALL=C"]
  }
}
