internal import ASCII
internal import Localization

/// Steps from a list of languages to a text.
enum TextOperations {
  static let preferred = ["zh-Hant-HK", "en-GB"].compactMap { LanguageTag($0) }

  static func all() throws(Fault) -> [Operation] {
    let catalog = try FileOperations.catalog()
    var memo = MatchMemo()
    let russian = ServerFormatter(locale: "ru_RU", rules: PluralRules(localization: "ru"))
    let text = PluralFormat("%1$@, your order %2$@ is ready to be picked up.")
    let names = [ArgumentValue.string("Ana"), .string("A17")]
    let plural = PluralFormat(
      "%1$@: %2$#@n@",
      variables: [
        "n": PluralVariable(
          specifier: "lld",
          cases: [
            .one: "%2$lld сообщение", .few: "%2$lld сообщения", .many: "%2$lld сообщений",
            .other: "%2$lld сообщения",
          ])
      ])
    return [
      Operation(name: "match languages") { () throws(Fault) in
        catalog.chain(for: preferred).count
      },
      Operation(name: "match languages, remembered", goal: 150) { () throws(Fault) in
        memo.chain(for: preferred, in: catalog, catalogID: 1).count
      },
      Operation(name: "fill a plain text, two arguments", goal: 1000) { () throws(Fault) in
        russian.format(text, arguments: names).text.utf8.count
      },
      Operation(name: "fill a plural, small number", goal: 2000) { () throws(Fault) in
        russian.format(plural, arguments: [names[0], .integer(23)]).text.utf8.count
      },
      Operation(name: "fill a plural, grouped number", goal: 2000) { () throws(Fault) in
        russian.format(plural, arguments: [names[0], .integer(1_234_567)]).text.utf8.count
      },
    ]
  }
}
