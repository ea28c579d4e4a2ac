import JSON
import Localization

extension MessageAlert {
  /// Reads `alert`: an object of parts, or one text alone (a string, `{"text": …}` or
  /// `{"key": …}`), which is then the body and is written in Apple's string form.
  init?(_ value: JSONValue, parameters: [String: Parameter], _ fields: FieldReader) {
    self.init()
    if value.isText {
      body = MessageText(value, parameters: parameters, at: fields.pointer(to: "alert"), fields)
      usesStringForm = true
      return
    }
    let alert = fields.nested(value, at: fields.pointer(to: "alert")) { fields -> MessageAlert? in
      var alert = MessageAlert()
      fields.otherNames = Self.otherNames
      if !AlertPart.allCases.contains(where: { fields.has($0.rawValue) }) {
        fields.refuse(
          .missingField, pointer: fields.pointer,
          "An alert has a `title`, a `subtitle` or a `body`.")
      }
      for part in AlertPart.allCases {
        guard let value = fields.json(part.rawValue).value else { continue }
        let text = MessageText(
          value, parameters: parameters, at: fields.pointer(to: part.rawValue), fields)
        switch part {
        case .title: alert.title = text
        case .subtitle: alert.subtitle = text
        case .body: alert.body = text
        }
      }
      alert.launchImage = fields.template("launch_image", parameters)
      alert.actionKey = fields.template("action_key", parameters)
      return alert
    }
    guard let alert else { return nil }
    self = alert
  }

  /// Apple's names for members of parts, and what to send instead.
  private static let otherNames = [
    "loc-key": "`body` with a `key`", "loc-args": "`body` with a `key` and `args`",
    "title-loc-key": "`title` with a `key`", "title-loc-args": "`title` with a `key` and `args`",
    "subtitle-loc-key": "`subtitle` with a `key`",
    "subtitle-loc-args": "`subtitle` with a `key` and `args`", "action-loc-key": "`action_key`",
  ]
}

extension JSONValue {
  /// Whether the value is a text alone rather than an object of parts.
  fileprivate var isText: Bool {
    switch self {
    case .string: true
    case .object(let members): members["text"] != nil || members["key"] != nil
    default: false
    }
  }
}
