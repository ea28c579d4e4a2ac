import ASCII
import CatalogFormats
import Localization
import Testing

@Suite struct StringsParserTests {
  @Test(arguments: [
    (#""k" = "v";"#, ["k": "v"]),
    (#"key_1.a-b/c:$ = value;"#, ["key_1.a-b/c:$": "value"]),
    (#""k";"#, ["k": "k"]),
    (#"bare;"#, ["bare": "bare"]),
    (#"'k' = 'it"s';"#, ["k": #"it"s"#]),
    (#""k" = "it's";"#, ["k": "it's"]),
    ("\"k\" = \"a\nb\";", ["k": "a\nb"]),
    ("\"k\" = \"a\\\nb\";", ["k": "a\nb"]),
    (#"{ "k" = "v"; }"#, ["k": "v"]),
    ("{}", [:]),
    (" \t\r\n // only a comment", [:]),
    ("\u{2028}a\u{2029}=\u{B}b\u{C};", ["a": "b"]),
    (
      "// c\ra = b; // d\u{2028}c = d; /* \" ; */ e /* x */ = /**/ f;",
      ["a": "b", "c": "d", "e": "f"]
    ),
    (#""ключ" = "значение 😀";"#, ["ключ": "значение 😀"]),
    (#""" = "";"#, ["": ""]),
    ("a=b;c=d;", ["a": "b", "c": "d"]),
  ])
  func pairsAreReadInEveryNotation(text: String, expected: [String: String]) {
    let result = parse(text)
    #expect(texts(result) == expected)
    #expect(result.diagnostics.isEmpty)
  }

  @Test(arguments: [
    (#"\a\b\f\n\r\t\v"#, "\u{7}\u{8}\u{C}\n\r\t\u{B}"),
    (#"\"\'\\"#, #""'\"#),
    (#"\U00e9\Ue9\UE9!"#, "ééé!"),
    (#"\U1F600"#, "\u{1F60}0"),
    (#"\Ud83d\Ude00"#, "😀"),
    (#"\Ud83d!\Ude00"#, "\u{FFFD}!\u{FFFD}"),
    (#"\Ud83d\Ud83d\Ude00"#, "\u{FFFD}😀"),
    (#"\Ud83d"#, "\u{FFFD}"),
    (#"\101\351\18\1011\501"#, "AØ\u{1}8A1A"),
    (#"\200\246\262\341\373"#, "\u{A0}ƒ†Æß"),
    (#"\q\x41\é\😀"#, "qx41é😀"),
  ])
  func escapesMeanWhatTheyMeanToCoreFoundation(escaped: String, expected: String) {
    let result = parse("k = \"\(escaped)\";")
    #expect(texts(result) == ["k": expected])
    #expect(result.diagnostics.isEmpty)
  }

  @Test(arguments: [
    // text, line, column, code
    ("\"a\" = \"b\"", 1, 10, "missing_semicolon"),
    ("a = b;\n\"c\" = \"d\"\n\n\"e\" = \"f\";", 2, 10, "missing_semicolon"),
    ("word", 1, 5, "missing_semicolon"),
    ("a b;", 1, 2, "missing_equals_sign"),
    ("a = ;", 1, 5, "unexpected_character"),
    ("a =", 1, 4, "unexpected_end"),
    ("a = *D5;", 1, 5, "unexpected_character"),
    ("}", 1, 1, "unexpected_character"),
    ("a = \"b;\nc = d;", 1, 5, "unterminated_string"),
    ("{ a = b;\r\n  \"c = d; }", 2, 3, "unterminated_string"),
    ("a = \"b\\", 1, 5, "unterminated_string"),
    ("(a, b)", 1, 1, "not_a_dictionary"),
    ("<abcd>", 1, 1, "not_a_dictionary"),
    ("{ a = b;", 1, 1, "missing_bracket"),
    ("a = (b;", 1, 5, "missing_bracket"),
    ("a = { b = c; ;", 1, 5, "missing_bracket"),
    ("a = <abc>;", 1, 5, "malformed_data"),
    ("a = <ab", 1, 5, "malformed_data"),
    ("a = <zz>;", 1, 5, "malformed_data"),
    ("{ a = b; } c", 1, 12, "text_after_end"),
    ("é😀 = 1;", 1, 1, "unexpected_character"),
    ("\"é😀\" x = 1;", 1, 5, "missing_equals_sign"),
  ])
  func aFileThatApplesRuntimeRejectsYieldsOnlyThePlace(
    text: String, line: Int, column: Int, code: String
  ) {
    let result = parse(text)
    #expect(result.entries == nil)
    let errors = result.diagnostics.filter { $0.severity == .error }
    #expect(errors.map(\.code) == [code])
    #expect(errors.map(\.line) == [line])
    #expect(errors.map(\.column) == [column])
    #expect(errors.map(\.file) == ["fr.lproj/Localizable.strings"])
  }

  @Test(arguments: [
    ("", [:], "empty_file", 1, 1),
    ("\u{FEFF}", [:], "empty_file", 1, 1),
    ("a = 1;\na = 2;", ["a": "2"], "duplicate_key", 2, 1),
    ("a = b;\n}", ["a": "b"], "text_after_end", 2, 1),
    ("a = b; = c;", ["a": "b"], "text_after_end", 1, 8),
    ("a = b; /* never closed", ["a": "b"], "unterminated_comment", 1, 8),
    (#"a = "\u00e9";"#, ["a": "u00e9"], "suspicious_escape", 1, 6),
  ])
  func whatCannotBeMeantIsReadAsTheRuntimeDoesWithAWarning(
    text: String, expected: [String: String], code: String, line: Int, column: Int
  ) {
    let result = parse(text)
    #expect(texts(result) == expected)
    #expect(result.diagnostics.map(\.code) == [code])
    #expect(result.diagnostics.allSatisfy { $0.severity == .warning })
    #expect(result.diagnostics.map(\.line) == [line])
    #expect(result.diagnostics.map(\.column) == [column])
  }

  @Test(arguments: [
    // text, line, column, code; beside it the pair before is read
    ("x = \"\\0\";", 1, 8, "nul_character"),
    ("x = \"x\u{0}\";", 1, 7, "nul_character"),
    ("\"x\\\u{0}\" = y;", 1, 4, "nul_character"),
    ("\"x\\U0000\" = y;", 1, 9, "nul_character"),
    ("\n" + String(repeating: "k", count: 4097) + " = v;", 2, 1, "limit_exceeded"),
    ("x = " + String(repeating: "v", count: 65_537) + ";", 1, 1, "limit_exceeded"),
    ("\r\n  \"x = y;", 2, 3, "unterminated_string"),
  ])
  func aPairThatCannotBeReadIsLeftOut(text: String, line: Int, column: Int, code: String) {
    for rest in code == "unterminated_string" ? [""] : ["", "\nb = 2;"] {
      let result = parse(text + rest)
      #expect(texts(result) == (rest.isEmpty ? [:] : ["b": "2"]))
      #expect(result.diagnostics.map(\.severity) == [.error])
      #expect(result.diagnostics.map(\.code) == [code])
      #expect(result.diagnostics.map(\.line) == [line])
      #expect(result.diagnostics.map(\.column) == [column])
      let whole = CatalogImporter.read(
        [SourceFile(path: "fr.lproj/A.strings", bytes: Array((text + rest).utf8))],
        developmentLanguage: "en")
      #expect(whole.entriesLeftOut == 1)
      #expect(!whole.rejectsFiles)
    }
  }

  @Test(arguments: [
    // text, message
    (#"x = "\Uzz12";"#, #"After \U in 'x' there must be four hexadecimal digits."#),
    (#""x\U" = y;"#, #"After \U in a key there must be four hexadecimal digits."#),
    (
      #"x = "\U0000";"#,
      "A string holds the character U+0000, which can be neither shown nor stored."
    ),
    (
      #"x = "L'offre "spéciale"";"#,
      #"';' is missing after the value. Write \" for a quote within a text."#
    ),
    (#"x = "Say "%@"";"#, #"';' is missing after the value. Write \" for a quote within a text."#),
    (
      #""Say "hello"" = y;"#,
      #"'=' or ';' is missing after the key. Write \" for a quote within a text."#
    ),
    ("x = \"a\"\ny = \"b\";", "';' is missing after the value."),
    (#"x = "a", y = "b";"#, "';' is missing after the value."),
  ])
  func anErrorSaysWhatToWrite(text: String, message: String) {
    #expect(parse(text).diagnostics.map(\.message) == [message])
  }

  /// What nobody reads is counted, and a strict upload refuses it.
  @Test(
    arguments: [
      // text, what is read, code, place, how many are left out
      (
        "a = b;\n<<<<<<< HEAD\nc = d;\n=======\nc = e;\n>>>>>>> x\nf = g;\n", ["a": "b"],
        "text_after_end", 2, 1, 3
      ),
      ("a = b;\n}\nc = d;", ["a": "b"], "text_after_end", 2, 1, 1),
      ("a = b; /* never closed\nc = d;\r\ne = f;", ["a": "b"], "unterminated_comment", 1, 8, 2),
      ("/* never closed\nc = d;", [:], "unterminated_comment", 1, 1, 1),
      ("a = b; c = { d = (e, <0a Fb>,); };", ["a": "b"], "ignored_value", 1, 8, 1),
      ("a = b; c = ();", ["a": "b"], "ignored_value", 1, 8, 1),
      ("a = b;\n\"c = d;\ne = f;", ["a": "b"], "unterminated_string", 2, 1, 1),
    ] as [(String, [String: String], String, Int, Int, Int)])
  func aLossIsAnErrorThatIsCounted(
    text: String, expected: [String: String], code: String, line: Int, column: Int, count: Int
  ) {
    let file = SourceFile(path: "fr.lproj/Localizable.strings", bytes: Array(text.utf8))
    let result = CatalogImporter.read([file], developmentLanguage: "fr")
    #expect(texts(parse(text)) == expected)
    #expect(result.diagnostics.map(\.summary) == ["error \(code) \(line):\(column)"])
    #expect(result.entriesLeftOut == count)
    #expect(result.hasErrors && !result.rejectsFiles)
  }

  @Test func aTextThatALaterDictionaryReplacesIsGone() {
    let result = parse("a = b; a = {};")
    #expect(texts(result) == [:])
    #expect(result.diagnostics.map(\.code).sorted() == ["duplicate_key", "ignored_value"])
  }

  @Test(arguments: [512, 513])
  func valuesNestTo512Levels(depth: Int) {
    let brackets = (0..<depth).map { _ in "(" } + (0..<depth).map { _ in ")" }
    let result = parse("a = \(brackets.joined()); k = v;")
    #expect(texts(result) == (depth <= 512 ? ["k": "v"] : nil))
  }

  @Test func warningsAboutOneFileAreCountedNotListedWithoutEnd() {
    let result = parse(String(repeating: "a;", count: 1000))
    #expect(texts(result) == ["a": "a"])
    #expect(result.diagnostics.count == 101)
    #expect(result.diagnostics.last?.code == "more_diagnostics")
    #expect(result.diagnostics.last?.message.hasPrefix("899 ") == true)
  }

  @Test func tablesHaveABound() {
    let result = parse((0...100_000).map { "k\($0);" }.joined())
    #expect(result.entries == nil)
    #expect(result.diagnostics.map(\.code) == ["limit_exceeded"])
  }
}

@Suite struct EncodingTests {
  private static let text = "\"clé\" = \"😀 é\u{2028}\u{800}\";"
  private static let marked: [[UInt8]] = [
    Array(text.utf8),
    [0xEF, 0xBB, 0xBF] + Array(text.utf8),
    [0xFF, 0xFE] + littleEndian(text),
    [0xFE, 0xFF] + bigEndian(text),
    [0xFF, 0xFE] + littleEndian(text) + [0x20],
    [0xFF, 0xFE, 0, 0] + text.unicodeScalars.flatMap { Array(bytes($0.value).reversed()) },
    [0, 0, 0xFE, 0xFF] + text.unicodeScalars.flatMap { bytes($0.value) },
  ]

  @Test(arguments: marked)
  func utf8AndMarkedUTF16AndUTF32AreRead(bytes: [UInt8]) {
    let result = StringsParser.parse(SourceFile(path: "x", bytes: bytes))
    #expect(texts(result) == ["clé": "😀 é\u{2028}\u{800}"])
    #expect(result.diagnostics.isEmpty)
  }

  @Test(arguments: [
    (Array("a = b;\n\"caf".utf8) + [0xE9] + Array("\";".utf8), 2, 5, "invalid_encoding"),
    ([0xEF, 0xBB, 0xBF, 0x61, 0xE9], 1, 3, "invalid_encoding"),
    ([0x80], 1, 1, "invalid_encoding"),
  ])
  func latin1IsRefused(
    bytes: [UInt8], line: Int, column: Int, code: String
  ) {
    let result = StringsParser.parse(SourceFile(path: "x", bytes: bytes))
    #expect(result.entries == nil)
    #expect(result.diagnostics.map(\.code) == [code])
    #expect(result.diagnostics.map(\.line) == [line])
    #expect(result.diagnostics.map(\.column) == [column])
  }

  @Test(arguments: [
    // the marks, the encoding of the rest, what is said
    ([], "16LE", "missing_byte_order_mark UTF-16"),
    ([], "16BE", "missing_byte_order_mark UTF-16"),
    ([], "32LE", "missing_byte_order_mark UTF-32"),
    ([], "32BE", "missing_byte_order_mark UTF-32"),
    ([0xFF, 0xFE, 0xFF, 0xFE], "16LE", "second_byte_order_mark"),
    ([0xFE, 0xFF, 0xFE, 0xFF], "16BE", "second_byte_order_mark"),
    ([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], "8", "second_byte_order_mark"),
    ([0xEF, 0xBB, 0xBF, 0xFF, 0xFE], "16LE", "second_byte_order_mark"),
    ([0xFF, 0xFE, 0xEF, 0xBB, 0xBF], "8", "second_byte_order_mark"),
    ([0xFF, 0xFE, 0xFF, 0xFE, 0xFF, 0xFE], "16LE", "second_byte_order_mark"),
  ])
  func marksThatAreMissingOrTwiceAreAWarning(marks: [UInt8], encoding: String, expected: String) {
    let text = Self.text
    let encoded: [UInt8] =
      switch encoding {
      case "16LE": littleEndian(text)
      case "16BE": bigEndian(text)
      case "32LE": text.unicodeScalars.flatMap { Array(bytes($0.value).reversed()) }
      case "32BE": text.unicodeScalars.flatMap { bytes($0.value) }
      default: Array(text.utf8)
      }
    let file = SourceFile(path: "fr.lproj/Localizable.strings", bytes: marks + encoded)
    let result = CatalogImporter.read([file], developmentLanguage: "en")
    #expect(result.tables.first?.entries == ["clé": .text("😀 é\u{2028}\u{800}")])
    // Apple's runtime may not read the file.
    #expect(result.tables.first?.uncertain == ["clé"])
    let diagnostic = result.diagnostics.first
    #expect(result.diagnostics.count == 1)
    #expect(diagnostic?.severity == .warning)
    let words = expected.split(separator: " ")
    #expect(diagnostic?.code == words.first.map(String.init))
    #expect(diagnostic?.message.contains(words.last == words.first ? "mark" : words[1]) == true)
  }

  @Test func unpairedSurrogatesBecomeTheReplacementCharacter() {
    // A trail, a trail, a lead, then a lead before a letter.
    let units: [UInt16] = [0x22, 0xDE00, 0xDE00, 0xD83D, 0xD83D, 0x61, 0x22, 0x3B]
    let bytes: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let result = StringsParser.parse(SourceFile(path: "x", bytes: [0xFF, 0xFE] + bytes))
    let text = "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}a"
    #expect(texts(result) == [text: text])
  }
}

func parse(_ text: String) -> StringsParser.Result {
  StringsParser.parse(SourceFile(path: "fr.lproj/Localizable.strings", bytes: Array(text.utf8)))
}

func texts(_ result: StringsParser.Result) -> [String: String]? {
  result.entries?.reduce(into: [:]) { texts, entry in
    if case .text(let text) = entry.value { texts[entry.key.text] = text }
  }
}

func littleEndian(_ text: String) -> [UInt8] {
  text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
}

private func bigEndian(_ text: String) -> [UInt8] {
  text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
}

private func bytes(_ value: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
}
