import TestSupport
import Testing

@testable import CatalogFormats

@Suite struct XMLReaderTests {
  @Test(arguments: [
    ("<a/>", "<a></a>"),
    (
      "\u{20}<?xml-x y?><!-- - --><!DOCTYPE a \"[\"><x:a  b = '1'\tc=\"'\" ><d/></x:a >\n<!---->",
      "<a b=[1] c=[']><d></d></a>"
    ),
    ("<?xml version='1.0' encoding='utf-8' standalone='yes' ?><a>é</a>", "<a>[é]</a>"),
    ("<a>&amp;&lt;&gt;&quot;&apos;&#65;&#x1f600;</a>", "<a>[&<>\"'A😀]</a>"),
    ("<a>1<!-- 2 -->3<?4?>5<![CDATA[<&amp;]]]]>6</a>", "<a>[135<&amp;]]6]</a>"),
    ("<a>x\r\ny\rz\n</a>", "<a>[x\ny\nz\n]</a>"),
    ("<a b='x\r\n\t&#10;y'/>", "<a b=[x  \ny]></a>"),
    ("<a> <!-- --> <b> </b></a>", "<a>[  ]<b>[ ]</b></a>"),
    ("<a><!-- --></a>", "<a></a>"),
    ("<ä·é/>", "<ä·é></ä·é>"),
  ])
  func documentsAreRead(text: String, expected: String) throws {
    var reader = try XMLReader(Array(text.utf8))
    var shown = ""
    var names: [String] = []
    while let event = try reader.next() {
      switch event {
      case .start(let tag):
        names.append("\(tag.name)")
        shown += "<\(tag.name)\(tag.attributes.map { " \($0.name)=[\($0.value)]" }.joined())>"
      case .end: shown += "</\(names.removeLast())>"
      case .text: shown += "[\(reader.text)]"
      }
    }
    #expect(shown == expected)
  }

  @Test(arguments: [
    ("", "malformed_xml 0"), ("  ", "malformed_xml 2"), ("x", "malformed_xml 0"),
    ("<a>", "malformed_xml 1"), ("<a></b>", "malformed_xml 3"), ("</a>", "malformed_xml 1"),
    ("<a/><b/>", "malformed_xml 4"), ("<a/>x", "malformed_xml 4"), ("<a", "malformed_xml 2"),
    ("<a b", "malformed_xml 4"), ("<a b=c/>", "malformed_xml 5"), ("<a b='c", "malformed_xml 6"),
    ("<a b='<'/>", "malformed_xml 6"), ("<a b='' b=''/>", "malformed_xml 8"),
    ("<a b=''c=''/>", "malformed_xml 7"), ("<1/>", "malformed_xml 1"), ("< a/>", "malformed_xml 1"),
    ("<a>&b;</a>", "malformed_xml 3"), ("<a>& </a>", "malformed_xml 3"),
    ("<a>&#x110000;</a>", "malformed_xml 3"), ("<a>&#xD800;</a>", "malformed_xml 3"),
    ("<a>&#;</a>", "malformed_xml 3"), ("<a>&#+5;</a>", "malformed_xml 3"),
    ("<a>&#0;</a>", "nul_character 3"), ("<a>\0</a>", "nul_character 3"),
    ("<a><!-- ", "malformed_xml 3"), ("<a><![CDATA[ ", "malformed_xml 3"),
    ("<a><? ", "malformed_xml 3"),
    ("<a><!DOCTYPE a></a>", "malformed_xml 3"), ("<!DOCTYPE a", "malformed_xml 0"),
    ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "malformed_xml 0"),
    ("<?xml version='1.0'<a/>", "malformed_xml 19"),
    ("<?xml version='1.0' encoding='UTF-7'?><a/>", "invalid_encoding 20"),
  ])
  func whatIsNoXMLIsRefusedWhereItStands(text: String, expected: String) {
    do throws(Finding) {
      var reader = try XMLReader(Array(text.utf8))
      while try reader.next() != nil {}
      Issue.record("was read")
    } catch {
      #expect("\(error.code.rawValue) \(error.offset)" == expected)
    }
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "<a>", "<a><b/>", "<a>&amp;", "<a b='", "<!--", "<a><!-- -->", "<a><![CDATA[", "<?",
      "<a><?b?>",
      "&", "<", ">", "</", "<a\n", "<a b='c' ", "<!DOCTYPE ", "<a>\r", "<a>]]>", "<a>é", "\0",
    ]
  )
  func aMegabyteOfOneThingTakesNoQuadraticTime(token: String) {
    // As it is, and within an element if it begins one.
    for (start, part) in [("", token), ("<a>", String(token.dropFirst(3)))] where !part.isEmpty {
      func text(of bytes: Int) -> String {
        start + String(repeating: part, count: bytes / part.utf8.count)
      }
      #expect(growth(from: text(of: 1 << 18), to: text(of: 1 << 20)) < Growth.limit)
    }
  }

  @Test(.timeLimit(.minutes(10))) func manyAttributesTakeNoQuadraticTime() {
    func text(of attributes: Int) -> String {
      "<a" + (0..<attributes).map { " a\($0)=''" }.joined() + "/>"
    }
    #expect(growth(from: text(of: 25_000), to: text(of: 100_000)) < Growth.limit)
  }

  private func growth(from small: String, to large: String) -> Double {
    Growth.ofWork(on: Array(small.utf8), and: Array(large.utf8)) { bytes in
      do throws(Finding) {
        var reader = try XMLReader(bytes)
        while try reader.next() != nil {}
      } catch {
        #expect(error.severity == .error)
      }
    }
  }
}
