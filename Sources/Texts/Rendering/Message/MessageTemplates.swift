import APNs
import ASCII
import JSON

/// A text with placeholders in a message.
struct PlacedTemplate {
  /// Where it stands in the message, a JSON pointer.
  let pointer: String
  /// The language of a wording; nil for all.
  var language: String?
  let template: Template
}

extension Message {
  /// All its texts with placeholders.
  var templates: [PlacedTemplate] {
    var placed = alertTemplates
    func add(_ pointer: String, _ template: Template?) {
      if let template { placed.append(PlacedTemplate(pointer: pointer, template: template)) }
    }
    switch sound {
    case nil: break
    case .named(let name): add("/sound", name)
    case .dictionary(let name, _, _): add("/sound/name", name)
    }
    if case .parameter(let name)? = badge { add("/badge", Template("{\(name)}")) }
    for (key, name) in APSKey.ofMessages { add("/\(name)", apsTexts[key]) }
    add("/collapse_id", collapseID)
    add("/message_type", type)
    add("/call/id", callID)
    for (pointer, data) in [("/id", id), ("/withdraws", withdraws)] {
      data?.templates(at: pointer).forEach { add($0, $1) }
    }
    if let push {
      add("/\(push.member)", push.name)
      for (place, data) in push.data { data.templates(at: place).forEach { add($0, $1) } }
    }
    for (name, member) in data.sorted(by: { $0.key < $1.key }) {
      member.templates(at: "/data/" + escapedPointer(name.text)).forEach { add($0, $1) }
    }
    return placed
  }

  private var alertTemplates: [PlacedTemplate] {
    var placed: [PlacedTemplate] = []
    for (place, text) in placedTexts {
      for (word, source) in text.branches {
        guard case .literal(let literal) = source else { continue }
        let pointer = word.map { "\(place)/text/\(escapedPointer($0))" } ?? place
        if let template = literal.unlocalized {
          placed.append(PlacedTemplate(pointer: pointer, template: template))
        }
        for (language, template) in literal.byLanguage.sorted(by: { $0.key < $1.key }) {
          placed.append(
            PlacedTemplate(pointer: pointer, language: language, template: template))
        }
      }
    }
    for (name, template) in [
      ("launch_image", alert?.launchImage), ("action_key", alert?.actionKey),
    ] {
      if let template {
        placed.append(PlacedTemplate(pointer: "/alert/\(name)", template: template))
      }
    }
    return placed
  }

  var usedParameters: Set<String> {
    var names = Set(templates.flatMap(\.template.names))
    for (_, text) in placedTexts {
      if case .choice(let choice) = text { names.insert(choice.parameter) }
      for case (_, .key(let keyed)) in text.branches { names.formUnion(keyed.arguments) }
    }
    if case .moment(let name)? = trigger { names.insert(name) }
    return names
  }
}

extension DataTemplate {
  /// Its texts with placeholders, each with its place.
  fileprivate func templates(at pointer: String) -> [(String, Template)] {
    switch self {
    case .constant: []
    case .text(let template): [(pointer, template)]
    case .value(let name): [(pointer, Template("{\(name)}"))]
    case .array(let elements):
      elements.enumerated().flatMap { $1.templates(at: "\(pointer)/\($0)") }
    case .object(let members):
      members.sorted { $0.key < $1.key }.flatMap { name, member in
        member.templates(at: "\(pointer)/\(escapedPointer(name.text))")
      }
    }
  }
}

extension Template {
  /// The declared names that come out in braces. Other services fill in `{{name}}`; here it becomes
  /// `{name}`, and `{{{name}}}` becomes the value in braces.
  func namesInBraces(among declared: some Collection<String>) -> [String] {
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    var names: [String] = []
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .text(let text):
        for part in text.utf8.split(separator: open, omittingEmptySubsequences: false).dropFirst() {
          guard let end = part.firstIndex(of: close) else { continue }
          let name = String(decoding: part[..<end].filter { $0 != 0x20 }, as: UTF8.self)
          if declared.contains(name) { names.append(name) }
        }
      case .parameter(let name):
        guard index > 0, index + 1 < pieces.count, case .text(let before) = pieces[index - 1],
          case .text(let after) = pieces[index + 1], before.utf8.last == open,
          after.utf8.first == close
        else { continue }
        names.append(name)
      }
    }
    return names
  }
}
