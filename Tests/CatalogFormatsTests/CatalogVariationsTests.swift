import ASCII
import Localization
import Testing

@testable import CatalogFormats

@Suite struct CatalogVariationsTests {
  @Test(
    arguments: [
      (["other": "%lld files"], nil, "lld", "%lld files"),
      (["one": "a file", "other": "%2$ld files"], 2, "ld", "%2$ld files"),
      (
        ["one": "%@ sent a file", "other": "%@ sent %lld files"], 2, "lld", "%1$@ sent %2$lld files"
      ),
      (["other": "%lld of %lld"], 1, "lld", "%1$lld of %2$lld"),
      (["other": "%1$@: %2$d"], 2, "d", "%1$@: %2$d"),
      (["other": "100%% of %-5.1f MB"], nil, "f", "100%% of %-5.1f MB"),
      (["other": "many"], nil, "d", "many"),
    ] as [([String: String], Int?, String, String)])
  func aTextByPluralHasTheFirstNumberAsItsVariable(
    texts: [String: String], argument: Int?, specifier: String, other: String
  ) throws {
    var variations = CatalogVariations()
    for (category, text) in texts {
      let category = try #require(PluralCategory(rawValue: category))
      variations.add(text, at: [.plural(category)], offset: 0)
    }
    let (entry, findings) = variations.entry(offset: 0)
    guard case .plural(let format) = entry else {
      Issue.record("no plural")
      return
    }
    #expect(format.text == "%#@value@")
    #expect(format.variables["value"]?.argument == argument)
    #expect(format.variables["value"]?.specifier == specifier)
    #expect(format.variables["value"]?.cases[.other] == other)
    #expect(findings.map(\.code) == (other == "many" ? [.pluralWithoutNumber] : []))
  }

  @Test func otherTextsAreReadOnceHoweverManyPluralsLackANumber() {
    var variations = CatalogVariations()
    for device in DeviceClass.allCases {
      variations.add("many", at: [.device(device), .plural(.other)], offset: 0)
    }
    var readings = 0
    let others = OtherNumber {
      readings += 1
      return ["%2$lld files"]
    }
    for _ in 1...2 {
      let entry = variations.entry(offset: 0, others: others).entry
      #expect(entry?.format(for: .mac)?.variables["value"]?.argument == 2)
    }
    #expect(readings == 1)
  }

  @Test func substitutionsAreVariablesAndPercentArgTheirArgument() {
    var variations = CatalogVariations()
    variations.add("%#@files@ in %#@folders@", at: [], offset: 0)
    variations.declare("files", argument: 1, specifier: "lld")
    variations.declare("folders", argument: nil, specifier: "ld")
    variations.add("%arg files, %%arg", at: [.substitution("files"), .plural(.other)], offset: 0)
    variations.add("%arg folders", at: [.substitution("folders"), .plural(.other)], offset: 0)
    let expected = PluralFormat(
      "%#@files@ in %#@folders@",
      variables: [
        "files": PluralVariable(
          argument: 1, specifier: "lld", cases: [.other: "%1$lld files, %%arg"]),
        "folders": PluralVariable(specifier: "ld", cases: [.other: "%ld folders"]),
      ])
    #expect(variations.entry(offset: 0).entry == .plural(expected))
  }

  @Test(
    arguments: [
      (nil, "%2$#@n@", "%arg files", "%2$lld files"), (1, "%2$#@n@", "%arg files", "%1$lld files"),
      (nil, "%#@n@", "%arg files", "%lld files"),
      (nil, "%1$#@n@ or %2$#@n@", "%arg files", "%lld files"),
      (nil, "%1$#@n@ or %1$#@n@", "%arg of %arg, %%arg", "%1$lld of %1$lld, %%arg"),
    ] as [(Int?, String, String, String)])
  func theArgumentOfPercentArgIsDeclaredOrThatOfTheReferences(
    argument: Int?, text: String, other: String, expected: String
  ) {
    var variations = CatalogVariations()
    variations.add(text, at: [], offset: 0)
    variations.declare("n", argument: argument, specifier: "lld")
    variations.add(other, at: [.substitution("n"), .plural(.other)], offset: 0)
    let variable = PluralVariable(argument: argument, specifier: "lld", cases: [.other: expected])
    #expect(
      variations.entry(offset: 0).entry == .plural(PluralFormat(text, variables: ["n": variable])))
  }

  @Test func devicesHoldTextsAndPlurals() {
    var variations = CatalogVariations()
    variations.add("Tap", at: [.device(.iphone)], offset: 0)
    variations.add("%lld clicks", at: [.device(.mac), .plural(.other)], offset: 0)
    let clicks = PluralVariable(specifier: "lld", cases: [.other: "%lld clicks"])
    #expect(
      variations.entry(offset: 0).entry
        == .devices([
          .iphone: PluralFormat("Tap"),
          .mac: PluralFormat("%#@value@", variables: ["value": clicks]),
        ]))
  }

  @Test(
    arguments: [
      ([([], "%#@n@")], ["error undefined_variable"], false),
      (
        [([], "a"), ([.substitution("n"), .plural(.other)], "b")],
        ["warning unreferenced_variable"], true
      ),
      (
        [([], "%#@n@"), ([.substitution("n"), .plural(.one)], "b")], ["warning missing_other"], true
      ),
      ([([.substitution("n"), .plural(.other)], "b")], ["error missing_format"], false),
      (
        [
          ([], "%#@n@"), ([.substitution("n"), .plural(.other)], "%#@m@"),
          ([.substitution("m"), .plural(.other)], "%#@n@"),
        ], ["error cyclic_variables"], false
      ),
      ([([], "a"), ([.plural(.other)], "%d")], ["warning conflicting_variations"], true),
      (
        [([.device(.mac)], "a"), ([.plural(.other)], "%d")], ["warning conflicting_variations"],
        true
      ),
      (
        [([.device(.mac)], "a"), ([.device(.mac), .plural(.other)], "%d")],
        ["warning conflicting_variations"], true
      ),
      ([([.device(.mac), .device(.ipad)], "a")], ["error unsupported_variation"], false),
      ([([.width(1), .width(2)], "a")], ["error unsupported_variation"], false),
      (
        [([], "a"), ([.plural(.other), .device(.mac)], "b")],
        ["error unsupported_variation"], true
      ),
      ([([], "")], [], true),
    ] as [([([CatalogVariation], String)], [String], Bool)])
  func whatDoesNotFitIsSaid(
    texts: [([CatalogVariation], String)], expected: [String], isThere: Bool
  ) {
    var variations = CatalogVariations()
    for (path, text) in texts { variations.add(text, at: path, offset: 7) }
    let (entry, findings) = variations.entry(offset: 7)
    #expect(findings.map { "\($0.severity) \($0.code.rawValue)" } == expected)
    #expect((entry != nil) == isThere)
  }

  /// What Xcode compiles when several stand side by side, and what devices have that none names.
  @Test(
    arguments: [
      ([([], "root"), ([.plural(.other)], "%d")], "%#@value@", "%#@value@"),
      ([([], "Press"), ([.device(.mac)], "Click")], "Press", "Click"),
      ([([.plural(.other)], "%d"), ([.device(.mac)], "Click")], "%#@value@", "Click"),
      ([([.device(.mac)], "Click")], nil, "Click"),
      (
        [
          ([.device(.iphone), .width(5)], "Tap"), ([.device(.iphone), .width(40)], "Tap the lamp"),
          ([.device(.mac)], "Click"),
        ], "Tap the lamp", "Click"
      ),
      (
        [([.width(5)], "Tap"), ([.width(40), .device(.mac)], "Click the lamp")], "Tap",
        "Click the lamp"
      ),
      ([([.width(5)], "Tap"), ([.width(40), .plural(.other)], "%d")], "%#@value@", "%#@value@"),
      (
        [
          ([.device(.mac)], "%#@n@"), ([.device(.mac), .substitution("n"), .plural(.other)], "%d"),
          ([.device(.other)], "Press"),
        ], "Press", "%#@n@"
      ),
    ] as [([([CatalogVariation], String)], String?, String?)])
  func eachDeviceHasItsOwnTextOrTheOneOfTheRest(
    texts: [([CatalogVariation], String)], iphone: String?, mac: String?
  ) {
    for texts in [texts, texts.reversed()] {
      var variations = CatalogVariations()
      for (path, text) in texts { variations.add(text, at: path, offset: 0) }
      let (entry, findings) = variations.entry(offset: 0)
      #expect(entry?.format(for: .iphone)?.text == iphone)
      #expect(entry?.format(for: .mac)?.text == mac)
      #expect(findings.allSatisfy { $0.code == .conflictingVariations && $0.severity == .warning })
    }
  }

  @Test func theCopiesOfVariablesInWidthsAreBounded() {
    let text = String(repeating: "x", count: 1000)
    var variations = CatalogVariations()
    for width in 1...64 { variations.add("%#@n@", at: [.width(width)], offset: 0) }
    variations.add(text, at: [.substitution("n"), .plural(.other)], offset: 0)
    #expect(variations.entry(offset: 0).findings.isEmpty)
    variations.add(text, at: [.substitution("n"), .plural(.one)], offset: 0)
    #expect(variations.entry(offset: 0).findings.map(\.code) == [.limitExceeded])
  }

  @Test(.timeLimit(.minutes(10))) func longChainsOfVariablesComeToAnEnd() {
    var variations = CatalogVariations()
    variations.add("%#@v0@", at: [], offset: 0)
    for index in 0..<64 {
      let text = index < 63 ? String(repeating: "%#@v\(index + 1)@", count: 1000) : "x"
      variations.add(text, at: [.substitution(Spelling("v\(index)")), .plural(.other)], offset: 0)
    }
    #expect(variations.entry(offset: 0).findings.isEmpty)
    variations.add("x", at: [.substitution("more"), .plural(.other)], offset: 0)
    #expect(variations.entry(offset: 0).findings.map(\.code) == [.limitExceeded])
  }
}
