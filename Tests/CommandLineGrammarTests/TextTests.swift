import CommandLineGrammar
import Testing

/// Help, manual page and completions of a grammar.
@Suite struct TextTests {
  @Test func theFirstHelpListsWordsBySection() {
    #expect(
      sample.help() == """
        usage: shop <command>

        Sells bread.

        Goods:
          bread  bake and sell

        The program:
          version  print the version

        shop <command> --help tells more about a command.
        """)
  }

  @Test func theHelpOfACommand() {
    #expect(
      sample.help(["bread", "bake"]) == """
        usage: shop bread bake KIND [FILE] --oven NAME [options]

        Bake a loaf of bread.

        It's [hot]: mind \\ fingers.

        Arguments:
          KIND
              the flour
          FILE
              a recipe

        Options:
          --oven NAME  (SHOP_OVEN)
              which oven
          --loaves COUNT
              how many; default: 1
          --seed WORD
              what is on it

        Options of every such command:
          --json
              print JSON

        Examples:
          shop bread bake rye --oven big
              Bakes a loaf.
          shop bread bake wheat -- -odd-
              By a recipe with a strange name.
        """)
  }

  @Test func theHelpOfAWordListsItsCommands() {
    let help = sample.help(["bread"])
    #expect(help.hasPrefix("usage: shop bread <command>\n\nBake and sell.\n\nCommands:\n  bake  "))
    #expect(help.contains("  shop bread bake rye --oven big\n"))
  }

  @Test func linesOfHelpFitATerminal() {
    let words = String(repeating: "word ", count: 40)
    let grammar = Grammar(
      program: "shop", summary: words, version: "1",
      sections: [.init("All", [CommandSyntax(["a"], words, details: [words])])], groups: [:])
    for text in [grammar.help(), grammar.help(["a"])] {
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  /// A point or an apostrophe at the start of a line would be a macro, a hyphen a minus.
  @Test func theManualPageEscapesWhatTroffReads() {
    let lines = ManualPage(sample).text.split(separator: "\n").map(String.init)
    #expect(lines.first == #".TH SHOP 1 "" "shop 1.2" "User Commands""#)
    #expect(lines.contains("It's [hot]: mind \\e fingers."))
    #expect(lines.contains("\\&'quoted' first."))
    #expect(lines.contains(".B \\-\\-oven NAME"))
    #expect(lines.contains(".SS shop bread bake KIND [FILE] \\-\\-oven NAME [options]"))
  }

  @Test(arguments: [
    ("", "bread version"), ("brea", "bread version"), ("-", "--help"), ("oats ", ""),
    ("help bread b", "bake sell"),
    ("bread ", "bake sell"), ("bread bake", "bake sell"), ("bread sell ", "--help"),
    ("bread bake ", "rye wheat"), ("bread bake r", "rye wheat"), ("bread bake rye ", ":files"),
    ("bread bake rye a ", "--oven --loaves --seed --json --help"), ("bread bake rye a -- ", ""),
    ("bread bake --oven ", ""), ("bread bake --oven big ", "rye wheat"),
    ("bread bake -- ", "rye wheat"), ("bread bake -- -", "rye wheat"),
    ("bread bake --oven=big --seed poppy --json --s", "--loaves --seed --help"),
    ("bread bake --flour 1 oat --loaves 10 -", "--oven --loaves --seed --json --help"),
  ])
  func whatCanFollowALine(line: String, words: String) {
    let line = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let offered = sample.candidates(line).split(separator: "\n")
    #expect(offered.map { $0.prefix { $0 != "\t" } }.joined(separator: " ") == words)
  }

  @Test func meaningsFollowATab() {
    #expect(sample.candidates([]) == "bread\tbake and sell\nversion\tprint the version\n")
    #expect(sample.candidates(["bread", "sell", "-"]) == "--help\thelp\n")
  }
}
