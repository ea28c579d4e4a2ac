internal import ASCII
internal import JSON
internal import Rendering

/// The descriptions that an app gives of types of its Live Activities, by name.
struct ActivityTypes: Sendable, Equatable {
  /// The JSON object as it came, compact.
  let stored: String
  let types: [Spelling: ActivityType]

  init() {
    stored = "{}"
    types = [:]
  }

  /// Reads the stored JSON. A part that another release has stored and this one does not know is
  /// left out.
  init(stored: String) {
    self.stored = stored
    guard case .object(let members)? = JSONValue(parsing: Array(stored.utf8)) else {
      types = [:]
      return
    }
    types = Dictionary(
      members.compactMap { name, value in
        (try? value.read(.lenient, ActivityType.init(reading:)))
          .map { (Spelling(name), $0.body) }
      }
    ) { $1 }
  }

  /// Reads the types as a setting of an app.
  static func read(_ fields: FieldReader) -> Change<Self> {
    fields.json("activity_types").compactMap { value in
      guard case .object(let members) = value else {
        fields.refuseType("activity_types", "an object", value)
        return nil
      }
      let text = value.jsonText
      guard members.count <= Limits.activityTypes, text.utf8.count <= Limits.activityTypesBytes
      else {
        fields.refuse(
          .tooMany, at: "activity_types",
          "At most \(Limits.activityTypes) types, and \(Limits.activityTypesBytes) bytes.")
        return nil
      }
      for (name, member) in members {
        let place = "\(fields.pointer(to: "activity_types"))/\(escapedPointer(name))"
        _ = fields.nested(member, at: place, ActivityType.init(reading:))
      }
      return Self(stored: text)
    }
  }
}
