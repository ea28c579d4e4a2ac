import CommandLineGrammar
import Testing

/// Command lines, read by a grammar.
@Suite struct ParsingTests {
  private func read(_ line: String, _ environment: [String: String] = [:]) throws -> Invocation {
    let words = line.split(separator: " ").map(String.init)
    guard case .run(let invocation) = try sample.read(words, environment: environment) else {
      throw UsageFault("no command")
    }
    return invocation
  }

  @Test func optionsStandAnywhereAfterTheCommand() throws {
    for line in [
      "bread bake rye --oven big --loaves 3", "bread bake --loaves=3 --oven=big rye",
      "bread bake --oven big --loaves 3 -- rye",
    ] {
      let invocation = try read(line)
      #expect(invocation.command.name == "bread bake")
      #expect(invocation.argument("KIND") == "rye")
      #expect(invocation.optionalArgument("FILE") == nil)
      #expect(invocation.value("oven") == "big")
      #expect(invocation.number("loaves") == 3)
      #expect(!invocation.has("json"))
    }
  }

  @Test func whatFollowsTwoHyphensIsAnArgument() throws {
    let invocation = try read("bread bake --oven a -- rye --json")
    #expect(invocation.optionalArgument("FILE") == "--json")
    #expect(try read("bread bake rye - --oven a").optionalArgument("FILE") == "-")
  }

  @Test func repeatedOptionsKeepTheirOrder() throws {
    let invocation = try read("bread bake rye --oven a --seed poppy --seed=sesame --json")
    #expect(invocation.values("seed") == ["poppy", "sesame"])
    #expect(invocation.has("json"))
  }

  @Test func aVariableStandsForItsOptionUnlessThatIsGiven() throws {
    let variable = ["SHOP_OVEN": "small"]
    #expect(try read("bread bake rye", variable).value("oven") == "small")
    #expect(try !read("bread bake rye", variable).isGiven("oven"))
    #expect(try read("bread bake rye --oven big", variable).values("oven") == ["big"])
    #expect(try read("bread bake rye --oven big", variable).isGiven("oven"))
    #expect(throws: UsageFault.self) { try read("bread bake rye", ["SHOP_OVEN": ""]) }
  }

  @Test(arguments: [
    ("help", []), ("help bread", ["bread"]), ("--help", []), ("-h", []),
    ("bread --help", ["bread"]), ("bread bake --help", ["bread", "bake"]),
    ("bread bake rye --oven -h -h", ["bread", "bake"]), ("help bread bake", ["bread", "bake"]),
  ])
  func helpIsAskedFor(line: String, path: [String]) throws {
    let words = line.split(separator: " ").map(String.init)
    #expect(try sample.read(words) == .help(path))
  }

  @Test(arguments: ["--version", "bread --version", "bread bake rye --version"])
  func theReleaseIsAskedFor(line: String) throws {
    #expect(try sample.read(line.split(separator: " ").map(String.init)) == .version)
  }

  @Test(arguments: [
    ("", "shop needs one of: bread, version."),
    ("bread", "shop bread needs one of: bake, sell."),
    ("braed", "shop knows no \"braed\"; the nearest is bread. shop --help lists all."),
    ("pharmacy", "shop knows no \"pharmacy\". shop --help lists all."),
    (
      "bread back",
      "shop bread knows no \"back\"; the nearest is bake. shop bread --help lists all."
    ),
    (
      "help bread make",
      "shop bread knows no \"make\"; the nearest is bake. "
        + "shop bread --help lists all."
    ),
    ("--json bread", "Options such as --json follow a command: shop --help."),
    (
      "bread bake --oven a",
      "shop bread bake needs KIND, the flour: "
        + "shop bread bake KIND [FILE] --oven NAME [options]."
    ),
    ("bread bake rye", "shop bread bake needs --oven NAME or SHOP_OVEN: which oven."),
    ("bread bake rye --oven", "--oven needs a value: --oven NAME, which oven."),
    (
      "bread bake rye a b --oven a",
      "shop bread bake has no place for one more word: "
        + "shop bread bake KIND [FILE] --oven NAME [options]."
    ),
    (
      "bread bake oat --oven a",
      "KIND is rye, wheat, not \"oat\". "
        + "shop bread bake --help lists all."
    ),
    (
      "bread bake rye --ovne a",
      "shop bread bake knows no --ovne; the nearest is --oven. "
        + "shop bread bake --help lists all."
    ),
    ("bread bake rye --oven a --oven b", "--oven is there twice."),
    ("bread bake rye --oven a --json=yes", "--json is a switch and takes no value."),
    ("bread bake rye --oven a --loaves 10", "--loaves is a number from 1 to 9, not \"10\"."),
  ])
  func whatIsWrongIsSaidInALine(line: String, fault: String) {
    #expect(throws: UsageFault(fault)) {
      try sample.read(line.split(separator: " ").map(String.init))
    }
  }

  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("loop", "logs", 2), ("kitten", "sitting", 3),
    ("flaw", "lawn", 2), ("é", "e", 1),
  ])
  func distances(first: String, second: String, distance: Int) {
    #expect(editDistance(first, second) == distance)
    #expect(editDistance(second, first) == distance)
  }
}
