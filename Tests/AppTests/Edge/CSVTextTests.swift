import Testing

@testable import App

@Suite struct CSVTextTests {
  @Test(
    arguments: [
      (["a", nil, "", "b,c", "say \"hi\""], #"a,,"","b,c","say ""hi""""#),
      (["two\nlines", "car\rriage", "tab\tstays"], "\"two\nlines\",\"car\rriage\",\"tab\tstays\""),
      (["a;b", "a|b"], #""a;b","a|b""#),
      ([" spaces ", "Ärger", "👍🏽"], " spaces ,Ärger,👍🏽"),
      (["=1+1", "+1", "-1", "@a", "-", "-1+1"], "'=1+1,'+1,-1,'@a,'-,'-1+1"),
      (["\ta", "\ra", "\na", "\r\n"], "\"'\ta\",\"'\ra\",\"'\na\",\"'\r\n\""),
      (["'", "''=1", "'\u{301}", "=\u{301}"], "'','''=1,''\u{301},'=\u{301}"),
      (["a=1", "1-1", "a,=1", "a:-b", "\"a\""], "a=1,1-1,\"a,=1\",a:-b,\"\"\"a\"\"\""),
      ([" =1", "\"=1", "\" +"], " '=1,\"\"\"'=1\",\"\"\" '+\""),
      (["＝1", "＋1", "－1", "＠a", "a＝1", "５"], "'＝1,'＋1,'－1,'＠a,a＝1,５"),
      (["a;=1", "a;-5", "a| @b", "a\n- b"], "\"a;'=1\",\"a;'-5\",\"a| '@b\",\"a\n'- b\""),
      (["a;'b", "a;\"=1\"", "a;;＝1"], "\"a;''b\",\"a;\"\"'=1\"\"\",\"a;;'＝1\""),
      ([nil, nil], ","), ([nil], ""), (["\""], #""""""#),
    ] as [([String?], String)])
  func aLine(cells: [String?], text: String) {
    var bytes: [UInt8] = []
    CSVText.append(cells, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text + "\r\n")
    #expect(CSVTable.parse(bytes) == [cells])
  }
}

/// What a spreadsheet makes of a table, whichever separator it takes.
@Suite struct SpreadsheetTests {
  private static let pieces = [
    "=", "+", "-", "@", "＝", "＋", "－", "＠", ";", "|", "\t", "\r", "\n", "\r\n", ",", "\"", "'", " ",
    "1", "a", "é", "\u{301}", "=HYPERLINK(\"http://a\";\"b\")",
  ]

  @Test func everyTextComesBack() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        Self.pieces.randomElement(using: &random) ?? ""
      }.joined()
      var bytes: [UInt8] = []
      CSVText.append([text, nil, text], to: &bytes)
      let expected: [[String?]] = [[text, nil, text]]
      // By their bytes: Swift takes some texts for the same that are not.
      let read = CSVTable.parse(bytes)
      #expect(
        read.map { $0.map { $0.map { Array($0.utf8) } } }
          == expected.map { $0.map { $0.map { Array($0.utf8) } } }, "\(text.debugDescription)")
    }
  }

  @Test func noCellOfAnySpreadsheetBeginsAFormula() {
    // Every way to begin a formula behind every way to come to it, and three texts at random.
    let formulas = ["=1+1", "+1", "-1+1", "@SUM(A1)", "＝1", "＋1", "－1", "＠a", "-5"]
    let ways = ["", ";", "|", "\t", "\r", "\n", "\r\n", ",", "\"", " ", "'", "a"]
    for first in ways {
      for second in ways {
        for formula in formulas { check(["x", "a" + first + second + formula, "z"]) }
        for formula in formulas.dropLast() { check(["x", first + second + formula, "z"]) }
      }
    }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      check(
        (0..<3).map { _ in
          "a" + (0..<6).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
        })
    }
  }

  private func check(_ cells: [String]) {
    var bytes: [UInt8] = []
    CSVText.append(["first", "last"], to: &bytes)
    CSVText.append(cells, to: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    for separators in [",", ";", "\t", "|", ",;", ",;\t|"] {
      for field in Self.fields(text, separators) {
        let begin = field.drop { $0 == " " || $0 == "\"" }.first
        #expect(
          !"=+-@＝＋－＠".unicodeScalars.contains { $0 == begin },
          "\(cells) by \(separators.debugDescription): \(String(field).debugDescription)")
      }
    }
  }

  /// The fields as a tolerant reader finds them: a quotation mark quotes where it begins a field,
  /// and stands for itself elsewhere; what follows the closing one belongs to the field.
  static func fields(
    _ text: String, _ separators: String
  ) -> [String.UnicodeScalarView] {
    var fields: [String.UnicodeScalarView] = []
    var field = String.UnicodeScalarView()
    var isQuoted = false
    var isAtBeginning = true
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      if isQuoted {
        if scalar == "\"", rest.first == "\"" {
          rest.removeFirst()
          field.append(scalar)
        } else if scalar == "\"" {
          isQuoted = false
        } else {
          field.append(scalar)
        }
      } else if scalar == "\"", isAtBeginning {
        isQuoted = true
      } else if separators.unicodeScalars.contains(scalar) || scalar == "\r" || scalar == "\n" {
        fields.append(field)
        field = String.UnicodeScalarView()
        isAtBeginning = true
        continue
      } else {
        field.append(scalar)
      }
      isAtBeginning = false
    }
    return fields + [field]
  }
}

/// CSV as a strict reader takes it.
enum CSVTable {
  /// The lines' cells; absent ones apart from empty ones. Empty when the text is none of ours.
  /// - Parameter restores: Whether the values are meant, and not the cells.
  static func parse(_ bytes: [UInt8], restores: Bool = true) -> [[String?]] {
    var lines: [[String?]] = []
    var line: [String?] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      var cell: [UInt8]?
      if rest.first == UInt8(ascii: "\"") {
        rest.removeFirst()
        var quoted: [UInt8] = []
        while let byte = rest.popFirst() {
          if byte == UInt8(ascii: "\"") {
            guard rest.first == byte else { break }
            rest.removeFirst()
          }
          quoted.append(byte)
        }
        cell = quoted
      } else {
        let plain = rest.prefix { $0 != UInt8(ascii: ",") && $0 != 0x0D && $0 != 0x0A }
        cell = plain.isEmpty ? nil : Array(plain)
        rest = rest.dropFirst(plain.count)
      }
      let text = cell.map { String(decoding: $0, as: UTF8.self) }
      line.append(restores ? text.map(CSVText.value(of:)) : text)
      switch rest.popFirst() {
      case UInt8(ascii: ","): if rest.isEmpty { return [] }
      case 0x0D where rest.popFirst() == 0x0A:
        lines.append(line)
        line = []
      default: return []
      }
    }
    return line.isEmpty ? lines : []
  }
}
