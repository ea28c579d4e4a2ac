import Testing

@testable import App

@Suite struct CSVTextTests {
  @Test(
    arguments: [
      (["a", nil, "", "b,c", "say \"hi\""], #"a,,"","b,c","say ""hi""""#),
      (["two\nlines", "car\rriage", "tab\tstays"], "\"two\nlines\",\"car\rriage\",tab\tstays"),
      ([" spaces ", "Ärger", "👍🏽"], " spaces ,Ärger,👍🏽"),
      (["=1+1", "+1", "-1", "@a", "-", "-1+1"], "'=1+1,'+1,-1,'@a,'-,'-1+1"),
      (["\ta", "\ra", "\na", "\r\n"], "'\ta,\"'\ra\",\"'\na\",\"'\r\n\""),
      (["'", "''=1", "'\u{301}", "=\u{301}"], "'','''=1,''\u{301},'=\u{301}"),
      (["a=1", " =1", "1-1"], "a=1, =1,1-1"),
      ([nil, nil], ","), ([nil], ""), (["\""], #""""""#),
    ] as [([String?], String)])
  func aLine(cells: [String?], text: String) {
    var bytes: [UInt8] = []
    CSVText.append(cells, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text + "\r\n")
    #expect(CSVTable.parse(bytes) == [cells])
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
