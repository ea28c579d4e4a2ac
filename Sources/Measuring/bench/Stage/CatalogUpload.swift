/// A server catalog of a few languages with two hundred strings each, as `multipart/form-data`.
enum CatalogUpload {
  static let boundary = "bench-boundary"

  private static let texts: [(language: String, ordered: String, ready: String)] = [
    ("en", "Order received", "%@, your order %@ is ready to be picked up."),
    ("de", "Bestellung eingegangen", "%@, deine Bestellung %@ kann abgeholt werden."),
    ("fr", "Commande reçue", "%@, votre commande %@ est prête."),
    ("es", "Pedido recibido", "%@, tu pedido %@ está listo."),
    ("pt-BR", "Pedido recebido", "%@, seu pedido %@ está pronto."),
    ("ja", "ご注文を承りました", "%@様、ご注文%@をお渡しできます。"),
    ("zh-Hant", "已收到訂單", "%@，您的訂單 %@ 可以取餐了。"),
  ]

  static var files: [(path: String, text: String)] {
    texts.map { ("\($0.language).lproj/Localizable.strings", strings($0.ordered, $0.ready)) }
  }

  static var body: String {
    let parts = files.map { path, text in
      """
      --\(boundary)\r
      Content-Disposition: form-data; name="file"; filename="\(path)"\r
      \r
      \(text)\r

      """
    }
    return parts.joined() + "--\(boundary)--\r\n"
  }

  private static func strings(_ ordered: String, _ ready: String) -> String {
    let others = (1...200).map { "\"KEY_\($0)\" = \"\(ordered) \($0)\";\n" }
    return "\"FOOD_ORDERED\" = \"\(ordered)\";\n\"FOOD_READY_FOR\" = \"\(ready)\";\n"
      + others.joined()
  }
}
