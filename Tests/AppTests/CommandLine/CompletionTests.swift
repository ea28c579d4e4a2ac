import Foundation
import Testing

/// What shells offer after the script of `completions` was read. `make test` installs the shells; a
/// test whose shell is missing is skipped and says so.
@Suite struct CompletionTests {
  private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

  private static func path(of shell: String) -> String? {
    path.split(separator: ":").map { "\($0)/\(shell)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  static let lines: [(line: String, offered: [String], missing: [String])] = [
    ("postilion ca", ["catalog"], ["app", "serve"]),
    ("postilion ", ["app", "serve", "completions"], ["push", "--help"]),
    ("postilion catalog ", ["push", "list", "check"], ["app", "create"]),
    ("postilion catalog push --fa", ["--fail-on"], ["--json"]),
    ("postilion app create food --b", ["--bundle-id"], ["--json"]),
    ("postilion key create --app food ", ["client", "sender", "admin", "root"], ["list"]),
    ("postilion app create a --identity-verification ", ["off", "required"], ["--json"]),
    ("postilion completions ", ["bash", "zsh", "fish"], ["app"]),
    ("postilion serve --ret", ["--retention-months"], ["--loops"]),
    ("postilion app create a --identity-verification=", ["off", "required"], ["--json"]),
    ("postilion key create --url http://localhost:1 --app food cl", ["client"], ["admin"]),
    ("postilion catalog push --app food --", ["--fail-on", "--help"], ["--app"]),
    ("postilion catalog push -- --", [], ["--fail-on"]),
    ("postilion help catalog ", ["push"], ["app"]),
    ("postilion version ", ["--help"], ["catalog"]),
    ("postilion import fi", ["file"], ["folder", "--app"]),
    ("postilion catalog push fo", ["folder"], ["file"]),
  ]

  private func offered(_ shell: String, _ line: String, _ script: String) async throws -> [String] {
    let directory = NSTemporaryDirectory() + "completions \(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let made = try RunningProcess(["completions", shell])
    #expect(try await made.end() == 0)
    try Data(made.standardOutput.utf8).write(to: URL(filePath: "\(directory)/postilion.\(shell)"))
    try Data(script.utf8).write(to: URL(filePath: "\(directory)/ask"))
    try Data().write(to: URL(filePath: "\(directory)/file"))
    try FileManager.default.createDirectory(
      atPath: "\(directory)/folder", withIntermediateDirectories: false)
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.path(of: shell)))
    let plain = ["bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]][shell] ?? []
    process.arguments = plain + ["ask", line]
    process.currentDirectoryURL = URL(filePath: directory)
    process.environment = [
      "HOME": directory, "TERM": "dumb", "LC_ALL": "C.UTF-8",
      "PATH": try RunningProcess.program().deletingLastPathComponent().path + ":" + Self.path,
    ]
    let (output, end) = (Pipe(), process.ended)
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    for await _ in end {}
    // Of `--fail-on=none⇥…` and `folder/` what a line of the table has.
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
      String($0.prefix { !$0.isWhitespace && $0 != "/" }.split(separator: "=").last ?? "")
    }
  }

  private func check(_ shell: String, _ script: String) async throws {
    for (line, wanted, missing) in Self.lines {
      let offered = try await offered(shell, line, script)
      for word in wanted { #expect(offered.contains(word), "\(shell): \(line): \(offered)") }
      for word in missing { #expect(!offered.contains(word), "\(shell): \(line): \(offered)") }
    }
  }

  @Test(.enabled(if: path(of: "bash") != nil, "bash is not installed"))
  func bashOffersWhatCanFollow() async throws {
    try await check(
      "bash",
      """
      source postilion.bash
      COMP_LINE=$1 COMP_POINT=${#1} word=${1##*[ =]}
      compopt() { compgen "$@" -- "$word"; }
      complete -p postilion > /dev/null || exit 1
      _postilion postilion "$word"
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
  }

  @Test(.enabled(if: path(of: "fish") != nil, "fish is not installed"))
  func fishOffersWhatCanFollow() async throws {
    try await check("fish", "source postilion.fish\ncomplete -C $argv[1]\n")
  }

  /// A zsh on a terminal of its own, whose `compadd` writes down what it is given.
  @Test(.enabled(if: path(of: "zsh") != nil, "zsh is not installed"))
  func zshOffersWhatCanFollow() async throws {
    try await check(
      "zsh",
      """
      zmodload zsh/zpty
      cat > setup <<'END'
      PROMPT=
      autoload -Uz compinit && compinit -u -D
      source ./postilion.zsh
      bindkey '^I' complete-word
      zstyle ':completion:*' list-grouped false
      compadd () {
        if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
        local -a offered
        builtin compadd -A offered "$@"
        (( $#offered )) && print -rl -- $offered >> offers
        builtin compadd "$@"
      }
      comppostfuncs=( exit )
      print ready
      END
      zpty shell zsh -f -i
      zpty -w shell 'source ./setup'
      while zpty -r shell text; do [[ $text == *ready* && $text != *print* ]] && break; done
      zpty -w -n shell "$1"$'\\t'
      while zpty -r shell text; do :; done
      [[ -e offers ]] && cat offers
      """)
  }
}
