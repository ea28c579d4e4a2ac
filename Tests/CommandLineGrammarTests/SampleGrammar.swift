import CommandLineGrammar

/// A small grammar with one of everything.
let sample = Grammar(
  program: "shop", summary: "Sells bread.", version: "1.2",
  sections: [
    .init(
      "Goods",
      [
        CommandSyntax(
          ["bread", "bake"], "bake a loaf of bread", details: ["It's [hot]: mind \\ fingers."],
          arguments: [
            ArgumentSyntax("KIND", "the flour", .words(["rye", "wheat"])),
            ArgumentSyntax("FILE", "a recipe", .file, isOptional: true),
          ],
          options: [
            OptionSyntax(
              "oven", "NAME", "which oven", variable: "SHOP_OVEN", isRequired: true),
            OptionSyntax("loaves", "COUNT", "how many", .number(1...9), standard: "1"),
            OptionSyntax("seed", "WORD", "what is on it", isRepeated: true),
            OptionSyntax(switch: "json", "print JSON", isShared: true),
          ],
          examples: [
            .init("shop bread bake rye --oven big", "Bakes a loaf."),
            .init("shop bread bake wheat -- -odd-", "By a recipe with a strange name."),
          ]),
        CommandSyntax(["bread", "sell"], "sell a loaf"),
      ]),
    .init("The program", [CommandSyntax(["version"], "print the version")]),
  ],
  groups: ["bread": "bake and sell"], chapters: [.init("FILES", [(".shop", "'quoted' first.")])])
