internal import JSON

/// The texts of the sample app: English, French, Arabic and Japanese.
enum DemoTexts {
  static let languages = ["en", "fr", "ar", "ja"]

  /// Texts by key, in the order of the languages.
  private static let plain: [String: [String]] = [
    "READY_TITLE": [
      "Your order is ready", "Votre commande est prête", "طلبك جاهز", "ご注文の準備ができました",
    ],
    "READY_BODY": [
      "%1$@, your order from %2$@ is ready.", "%1$@, votre commande de chez %2$@ est prête.",
      "%1$@، طلبك من %2$@ جاهز.", "%1$@さん、%2$@のご注文の準備ができました。",
    ],
    "LATE_BODY": [
      "Your order is a little late. Thank you for waiting.",
      "Votre commande a un peu de retard. Merci de votre patience.",
      "طلبك متأخر قليلاً. شكراً لانتظارك.", "ご注文が少し遅れています。お待ちいただきありがとうございます。",
    ],
    "COURIER": [
      "%@ is at your door.", "%@ est devant votre porte.", "%@ عند الباب.", "%@が到着しました。",
    ],
  ]

  /// How many dishes there are, by the plural categories of each language.
  private static let dishes: [String: [String: String]] = [
    "en": ["one": "%lld dish in your basket", "other": "%lld dishes in your basket"],
    "fr": [
      "one": "%lld plat dans votre panier", "many": "%lld de plats dans votre panier",
      "other": "%lld plats dans votre panier",
    ],
    "ar": [
      "zero": "لا أطباق في سلتك", "one": "طبق واحد في سلتك", "two": "طبقان في سلتك",
      "few": "%lld أطباق في سلتك", "many": "%lld طبقًا في سلتك", "other": "%lld طبق في سلتك",
    ],
    "ja": ["other": "カートに%lld品あります"],
  ]

  /// The string catalog of a build, as Xcode writes it.
  /// - Parameter lacking: Keys that the build has lost.
  static func stringCatalog(lacking: Set<String> = []) -> String {
    var strings: JSONObject = [:]
    for (key, texts) in plain where !lacking.contains(key) {
      strings[key] = entry(zip(languages, texts).map { ($0, unit($1)) })
    }
    strings["DISHES"] = entry(
      languages.map { language in
        let cases = (dishes[language] ?? [:]).mapValues(unit)
        return (language, .object(["variations": .object(["plural": .object(JSONObject(cases))])]))
      })
    return JSONValue.object([
      "sourceLanguage": .string("en"), "version": .string("1.0"), "strings": .object(strings),
    ]).jsonText
  }

  private static func entry(_ localizations: [JSONObject.Element]) -> JSONValue {
    .object([
      "extractionState": .string("manual"),
      "localizations": .object(JSONObject(localizations)),
    ])
  }

  private static func unit(_ text: String) -> JSONValue {
    .object(["stringUnit": .object(["state": .string("translated"), "value": .string(text)])])
  }

  /// The messages of the sample app, as they are sent.
  static let messages: [String: String] = [
    "food_ready": """
    {"alert": {"title": {"key": "READY_TITLE"},
      "body": {"key": "READY_BODY", "args": ["name", "restaurant"]}},
    "parameters": {"name": {"type": "string", "default": "Zoé"},
      "restaurant": {"type": "string", "default": "Chez Léon"}},
    "sound": "default", "category": "ORDER", "collapse_id": "order", "mutable_content": true}
    """,
    "basket": """
    {"alert": {"body": {"key": "DISHES", "args": ["count"]}},
    "parameters": {"count": {"type": "integer", "default": 3}}}
    """,
    "courier": """
    {"alert": {"body": {"key": "COURIER", "args": ["courier"]}},
    "parameters": {"courier": {"type": "string", "default": "Noor"}},
    "interruption_level": "time-sensitive"}
    """,
    "lunch_offer": """
    {"alert": {"title": {"text": {"en": "{share} off", "fr": "{share} de réduction",
      "ar": "خصم {share}", "ja": "{share}オフ"}},
    "body": {"text": {"en": "Lunch costs less until {end}.",
      "fr": "Le déjeuner coûte moins cher jusqu’à {end}.",
      "ar": "الغداء أقل سعراً حتى {end}.", "ja": "{end}までランチがお得です。"}}},
    "parameters": {"share": {"type": "percent", "default": 0.2},
      "end": {"type": "date", "time": "short", "default": "2026-11-22T14:00:00Z"}},
    "interruption_level": "passive"}
    """,
  ]
}
