internal import JSON

/// Why a device gets what it gets, in sentences.
struct RenderExplanation {
  private(set) var lines: [String] = []

  /// Of the answer to a rendering for one device with `explain`.
  init(_ answer: JSONValue) {
    let alert = answer["payload"]?["aps"]?["alert"]
    for name in ["title", "subtitle", "body"] {
      if let text = alert?[name]?.text { add(name, text) }
      if let key = alert?["\(name == "body" ? "" : name + "-")loc-key"]?.text {
        add("\(name) key", key)
      }
    }
    if let text = alert?.text { add("body", text) }
    add("language", language(answer))
    add("mode", answer["mode"]?.cell ?? "-")
    add("environment", answer["environment"]?.cell ?? "-")
    add("payload", "\(answer["payload_bytes"]?.cell ?? "-") bytes")
    for problem in answer["problems"]?.elements ?? [] { add("problem", problem.cell) }
    let explanation = answer["explain"]
    let reason = Printable.line(ModeReasonText.text(explanation?["mode"]?.cell ?? "-"))
    // A test is passed when what would lead to another mode is not so.
    let failed = (explanation?["tests"]?.elements ?? []).filter { $0["passed"] != .bool(true) }
    let end = failed.isEmpty ? "." : ":"
    lines += ["", "\(sentence(answer["mode"]?.cell ?? "-")), because \(reason)\(end)"]
    for test in failed {
      let text = ModeReasonText.text(test["test"]?.cell ?? "")
      let saw = test["saw"]?.cell ?? ""
      lines.append(Printable.line("  \(text)\(saw.isEmpty ? "" : " (\(saw))")"))
    }
  }

  private func sentence(_ mode: String) -> String {
    switch mode {
    case "client": "The device writes the text"
    case "server": "The service writes the text"
    case "local": "The app makes a local notification"
    case "voip": "The app gets a call"
    default: "The mode is \(Printable.line(mode))"
    }
  }

  private mutating func add(_ name: String, _ text: String) {
    let gap = String(repeating: " ", count: max(1, 13 - name.count))
    lines.append(name + gap + Printable.line(text))
  }

  /// `fr, as it fits fr-CA, the first language of the device`.
  private func language(_ answer: JSONValue) -> String {
    guard let chosen = answer["language"]?.text else { return "-" }
    let reasons = answer["explain"]?["language"]
    func list(_ name: String) -> [String] { (reasons?[name]?.elements ?? []).map(\.cell) }
    let isFallback = (answer["problems"]?.elements ?? []).contains {
      $0["code"]?.text == "fallback_language_used"
    }
    let reason = LanguageReasonText.sentence(
      chosen, preferred: list("preferred"), available: list("available"), isFallback: isFallback)
    return "\(chosen), as \(reason)"
  }
}
