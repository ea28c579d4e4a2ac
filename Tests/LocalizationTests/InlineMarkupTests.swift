import ASCII
import Localization
import Testing

/// Apple's markup of words that agree with others.
@Suite struct InlineMarkupTests {
  static let texts = [
    ("^[%lld boat](inflect: true)", "%lld boat"),
    ("Buy ^[%lld boat](inflect: true) now", "Buy %lld boat now"),
    ("^[%@](inflect: true) and ^[%lld](inflect:true)", "%@ and %lld"),
    ("^[%1$@](agreeWithArgument: 2), ^[they](agreeWithConcept: 1)", "%1$@, they"),
    ("^[Welcome](inflect: true, inflectionAlternative: 'Hello (you)')", "Welcome"),
    ("^[he](morphology: { partOfSpeech: \"pronoun\", number: 'plural' })", "he"),
    ("^[^[big](morphology: {number: 'plural'}) boats](inflect: true)", "big boats"),
    ("^[a ^[b ^[c](x: 1)](y: 2)](z: 3)", "a b c"),
    ("^[seat [3]](inflect: true)", "seat [3]"),
    ("^[seat \\[3\\]](inflect: true)", "seat [3]"),
    ("^[a \\] b](inflect: true) \\]", "a ] b \\]"),
    ("^[x](rainbow: 'a\\)b')", "x"),
    ("^[x](my.app.style: 1)", "x"), ("^[x]('inflect': true)", "x"),
    ("^[日本語](inflect: true)です", "日本語です"),
    ("^[](inflect: true)", ""),
    // As machines translate it.
    ("^ [%lld Boot] (inflect: true)", "%lld Boot"), ("^[%lld Boot]( inflect : true )", "%lld Boot"),
    ("^[%lld лодка](склонение: true)", "%lld лодка"),
    ("^[%#@boats@](inflect: true)", "%#@boats@"),
    // What is no such markup.
    ("x^[2]", "x^[2]"), ("x^[2](see below)", "x^[2](see below)"), ("^[a]()", "^[a]()"),
    ("[Help](https://example.com)", "[Help](https://example.com)"), ("^_^", "^_^"), ("^", "^"),
    ("[a](inflect: true)", "[a](inflect: true)"),
    ("\\^[a](inflect: true)", "\\^[a](inflect: true)"),
    ("^[a](inflect: true", "^[a](inflect: true"), ("^[a", "^[a"),
    ("a](inflect: true)", "a](inflect: true)"),
    ("**bold** and `code`", "**bold** and `code`"), ("", ""),
  ]

  @Test(arguments: texts) func onlyTheWordsAreLeft(text: String, words: String) {
    #expect(InlineMarkup.words(of: text) == words)
    #expect(InlineMarkup.isIn(text) == (text != words))
    #expect(english.format(text, arguments: []).text == english.format(words, arguments: []).text)
  }

  @Test func theMarkupOfCasesGoesAndThatOfArgumentsStays() {
    let format = PluralFormat(
      "^[%1$@](inflect: true): %2$#@n@",
      variables: [
        "n": PluralVariable(
          specifier: "lld",
          cases: [.one: "^[%lld boat](inflect: true)", .other: "^[%lld boats](inflect: true)"])
      ])
    let name = "^[Ann](inflect: true)"
    let filled = english.format(format, arguments: [.string(name), .integer(2)])
    #expect(filled.text == "\(name): 2 boats")
    #expect(filled.problems.isEmpty)
  }

  @Test(arguments: ["^[", "^[a](", "^[a](b:", "^[a](b: (", "^ ", "]", "](b: 1)", "\\"])
  func aTextOfNothingButMarksTakesNoTime(part: String) {
    let text = String(repeating: part, count: 65_536 / part.utf8.count)
    let words = InlineMarkup.words(of: text)
    #expect(words.utf8.count <= text.utf8.count)
  }
}
