import APNs
public import JSON

extension Message {
  /// Reads what a recipient has instead of the message: `badge` and `collapse_id`, and members of
  /// `data`, each instead of the message's of the same name or beside them. The rules are those of
  /// a message.
  public mutating func replace(reading fields: FieldReader) {
    if let number = fields.integer("badge", in: 0...MessageLimits.badge).value {
      badge = .number(number)
      if withdraws != nil || pushType == .background {
        fields.refuse(
          .backgroundNotSilent, at: "badge", "The message is silent, and can have no badge.")
      }
    }
    collapseID = readCollapseID(fields) ?? collapseID
    let own = [
      "id": id != nil, "trigger": trigger != nil, "call": callID != nil,
      "withdraws": withdraws != nil,
    ]
    readData(fields, beside: own.keys.filter { own[$0] == true }.sorted())
  }
}
