import DeviceProfile
import JSON

@testable import App
@testable import Registry

/// A history as people read it: a line for each call, in the order of the calls, with milliseconds
/// since the first one.
struct RegistryHistoryText {
  let segment: RegistrySegment

  /// The lines of a history, and how far an order explains it.
  func text(_ history: [HistoryCall], _ impasse: HistoryCheck<RegistryModel>.Impasse) -> String {
    let start = history.map(\.call).min() ?? 0
    func milliseconds(_ time: UInt64) -> String { "\(Double((time - start) / 1000) / 1000)" }
    let lines = history.enumerated().map { place, call in
      let end = call.answer == nil ? "?" : milliseconds(call.end)
      let answer = call.answer.map(text) ?? "no answer"
      return "  \(place): \(milliseconds(call.call))–\(end) \(text(call.operation)) → \(answer)"
    }
    let states = impasse.state.installations.enumerated().map { place, installation in
      "i\(place) "
        + (installation.map { "\(text(RegistryAnswer.Shown($0))) r\($0.revision)" } ?? "none")
        + (impasse.state.lives[place]?.tag.map { " of \($0)" } ?? "")
    }
    return """
      \(lines.joined(separator: "\n"))
        explained in the order \(impasse.order), then \(impasse.unexplained) cannot be, in: \
      \(states.joined(separator: "; "))
      """
  }

  private func text(_ operation: RegistryOperation) -> String {
    let who = "i\(operation.installation)" + (operation.isFromApp ? " (app)" : "")
    let condition =
      switch operation.condition {
      case .none, .isLastSeen: ""
      case .isNew: " if new"
      case .has(let tag): " if \(tag)"
      }
    switch operation.action {
    case .report(let report, let mayCreate):
      return "\(mayCreate ? "PUT" : "PATCH") \(who)\(text(report))\(condition)"
    case .read: return "GET \(who)"
    case .delete: return "DELETE \(who)\(condition)"
    case .deleteCredential(let kind): return "DELETE \(who) \(kind)"
    case .feedback(let item, let part):
      let time = item.sentAt == nil ? "" : " sent long ago"
      return "feedback on \(name(item.token?.hex)) \(item.environment?.rawValue ?? "") "
        + "\(item.kind?.rawValue ?? "") \(item.reason ?? "taken")\(time) (\(part))"
    }
  }

  private func text(_ report: RegistrationReport) -> String {
    var parts: [String] = []
    if let environment = report.environment { parts.append(environment.rawValue) }
    for place in report.credentials.replaced { parts.append("\(place.text)=null") }
    for (place, reported) in report.credentials.brought {
      parts.append("\(place.text)=\(name(reported.token.hex))")
    }
    for (field, change) in [("version", report.appVersion), ("build", report.appBuild)] {
      switch change {
      case .keep: break
      case .clear: parts.append("\(field)=null")
      case .set(let text): parts.append("\(field)=\(text)")
      }
    }
    if let time = report.reportedAt { parts.append("reported_at=\(time.rfc3339)") }
    return parts.map { " \($0)" }.joined()
  }

  private func text(_ answer: RegistryAnswer) -> String {
    let parts: [String?] = [
      "\(answer.status)", answer.code, answer.decision,
      answer.isApplied == false ? "not applied" : nil, answer.shown.map(text), answer.tag,
    ]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  private func text(_ shown: RegistryAnswer.Shown) -> String {
    let credentials = shown.credentials.sorted { $0.key < $1.key }.map { place, credential in
      "\(place) \(name(credential.token)) \(credential.status ?? "")"
    }
    let texts = [("version", shown.version), ("build", shown.build)].compactMap { field, text in
      text.map { "\(field) \($0)" }
    }
    return "{\(([shown.environment ?? ""] + credentials + texts).joined(separator: ", "))}"
  }

  /// The token's place instead of its digits.
  private func name(_ hex: String?) -> String {
    segment.tokens.firstIndex { $0.hex == hex }.map { "t\($0)" } ?? "?"
  }
}
