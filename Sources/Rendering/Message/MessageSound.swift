import APNs
import JSON

/// The sound of a message, its name a template.
public enum MessageSound: Sendable, Hashable {
  /// A file in the app, or `default`.
  case named(Template)
  /// The dictionary form, which only critical alerts may use.
  case critical(name: Template, isCritical: Bool, volume: Double?)

  /// Whether it breaks through the mute switch where the person allows that.
  var isCritical: Bool {
    if case .critical(_, let isCritical, _) = self { isCritical } else { false }
  }

  /// The sound with its name filled; a name that comes out empty is none, and the system's own for
  /// a critical alert.
  func filled(_ arguments: Arguments) -> Sound? {
    switch self {
    case .named(let name): arguments.text(name).map(Sound.named)
    case .critical(let name, let isCritical, let volume):
      .critical(
        CriticalSound(
          critical: isCritical ? 1 : 0, name: arguments.text(name) ?? "default", volume: volume))
    }
  }

  /// Reads the field `sound`.
  init?(reading fields: FieldReader, parameters: [String: Parameter]) {
    switch fields.json("sound").value {
    case nil: return nil
    case .string(let name):
      guard (1...MessageLimits.identifierBytes).contains(name.utf8.count) else {
        fields.refuse(
          .outOfRange, at: "sound",
          "A sound's name has 1 to \(MessageLimits.identifierBytes) bytes.")
        return nil
      }
      fields.checkPlaceholders(in: name, parameters, at: fields.place("sound"))
      self = .named(Template(name))
    case let value?:
      let sound = fields.nested(value, at: fields.place("sound")) { fields in
        MessageSound.critical(
          name: fields.template("name", parameters) ?? Template("default"),
          isCritical: fields.appleFlag("critical") ?? true,
          volume: fields.number("volume", in: 0...1).value)
      }
      guard let sound else { return nil }
      self = sound
    }
  }
}
