import CommandLineGrammar
import Commands
import Foundation
import Testing

/// The help of the program, its manual page, and the completions of three shells.
@Suite struct HelpTests {
  private func output(_ arguments: [String]) async throws -> String {
    let process = try RunningProcess(arguments)
    #expect(try await process.end() == 0)
    #expect(process.standardError.isEmpty)
    return process.standardOutput
  }

  @Test(arguments: ClientCommand.all.map(\.syntax))
  func everyCommandTeachesByAnExample(command: CommandSyntax) async throws {
    let help = try await output(command.path + ["--help"])
    #expect(help.hasPrefix("usage: postilion \(command.name)"))
    #expect(help.contains("\nExamples:\n  "))
    #expect(
      help.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("  postilion") })
    #expect(!command.examples.isEmpty)
    for option in command.options { #expect(help.contains("\n  \(option.flag)")) }
  }

  /// What the examples show is read as the command that they stand for.
  @Test(arguments: ClientCommand.all.map(\.syntax))
  func examplesAreCommandLines(command: CommandSyntax) throws {
    let grammar = Grammar(
      program: "postilion", summary: "", version: "",
      sections: [.init("", ClientCommand.all.map(\.syntax))], groups: ClientCommand.groups)
    for example in command.examples {
      let line = try #require(example.line.firstMatch(of: /postilion ([^|<>)]*)/)?.output.1)
      var words: [String] = []
      for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated()
      {
        words += index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
      }
      guard case .run(let invocation) = try grammar.read(words) else {
        Issue.record("\(example.line)")
        continue
      }
      #expect(invocation.command == command)
    }
  }

  /// But `--add`, which is a tag of devices and a switch of `catalog push`.
  @Test func anOptionHasAValueEverywhereOrNowhere() {
    var kinds: [String: Bool] = [:]
    for option in ClientCommand.all.flatMap(\.syntax.options) where option.name != "add" {
      #expect(kinds.updateValue(option.value != nil, forKey: option.name) != (option.value == nil))
    }
  }

  @Test func theManualPageHasEveryCommand() async throws {
    let page = try await output(["man"])
    for command in ClientCommand.all {
      let usage = command.syntax.usage.replacing("-", with: "\\-")
      #expect(page.contains("\n.SS postilion \(usage)\n"))
    }
    for heading in ["NAME", "SYNOPSIS", "THE SERVICE", "ENVIRONMENT", "FILES", "EXIT STATUS"] {
      #expect(page.contains("\n.SH \(heading)\n"))
    }
  }
}
