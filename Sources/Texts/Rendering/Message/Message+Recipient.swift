import APNs
public import JSON

extension Message {
  /// Reads a recipient's own values: `badge` and `collapse_id`, which replace the message's (a null
  /// takes them away), and members of `data`, which replace members of the same name or stand
  /// beside the others. The rules are those of a message.
  ///
  /// - Parameter isNamed: Whether the message is stored.
  public mutating func replace(reading fields: FieldReader, for app: AppFacts, isNamed: Bool) {
    let hadBadge = badge != nil
    switch fields.integer("badge", in: 0...MessageLimits.badge) {
    case .keep: break
    case .clear: badge = nil
    case .set(let number):
      badge = .number(number)
      if let push { refuse("badge", of: push, fields) }
      if withdraws != nil || pushType == .background {
        fields.refuse(
          .backgroundNotSilent, at: "badge", "The message is silent, and can have no badge.")
      }
    }
    switch fields.identifier("collapse_id") {
    case .keep: break
    case .clear: collapseID = nil
    case .set(let text):
      fields.checkPlaceholders(in: text, parameters, at: fields.pointer(to: "collapse_id"))
      collapseID = Template(text)
    }
    // Most recipients have no data of their own, and a call may have a million of them.
    if let push, !push.takesData, fields.has("data") { refuse("data", of: push, fields) }
    readData(fields, beside: fields.has("data") ? takenNames(app, isNamed: isNamed) : [])
    if badge == nil && hadBadge && (isEmpty || (trigger != nil && !isPerceived)) {
      fields.refuse(.missingField, at: "badge", Self.ruleOfContent)
    }
  }

  /// The names that members of `data` cannot have.
  private func takenNames(_ app: AppFacts, isNamed: Bool) -> [String] {
    let own = [
      "id": id != nil, "trigger": trigger != nil, "call": callID != nil,
      "withdraws": withdraws != nil,
    ]
    return own.keys.filter { own[$0] == true }.sorted() + ownMembers(in: app, isNamed: isNamed)
  }
}
