import APNs
import JSON

/// The sound of a message, its name a template.
public enum MessageSound: Sendable, Hashable {
  /// A file in the app, or `default`.
  case named(Template)
  /// The dictionary form, which a payload has only for a critical sound; else it is the name alone.
  case dictionary(name: Template, isCritical: Bool, volume: Double?)

  /// Whether it breaks through the mute switch where the person allows that.
  var isCritical: Bool {
    if case .dictionary(_, let isCritical, _) = self { isCritical } else { false }
  }

  /// Whether it has a volume that has no effect.
  var ignoresVolume: Bool {
    if case .dictionary(_, false, .some) = self { true } else { false }
  }

  /// The sound with its name filled in. An empty name means no sound; for a critical alert it means
  /// the system's own.
  func filled(_ arguments: Arguments) -> Sound? {
    switch self {
    case .named(let name): arguments.text(name).map(Sound.named)
    case .dictionary(let name, true, let volume):
      .critical(
        CriticalSound(critical: 1, name: arguments.text(name) ?? "default", volume: volume))
    case .dictionary(let name, false, _): .named(arguments.text(name) ?? "default")
    }
  }

  /// Reads the field `sound`.
  /// - Parameter isCritical: Whether a dictionary is critical that does not say it.
  init?(reading fields: FieldReader, parameters: [String: Parameter], isCritical: Bool) {
    switch fields.json("sound").value {
    case nil: return nil
    case .string(let name):
      guard (1...MessageLimits.identifierBytes).contains(name.utf8.count) else {
        fields.refuse(
          .outOfRange, at: "sound",
          "A sound's name has 1 to \(MessageLimits.identifierBytes) bytes.")
        return nil
      }
      fields.checkPlaceholders(in: name, parameters, at: fields.pointer(to: "sound"))
      self = .named(Template(name))
    case let value?:
      let sound = fields.nested(value, at: fields.pointer(to: "sound")) { fields in
        MessageSound.dictionary(
          name: fields.template("name", parameters) ?? Template("default"),
          isCritical: fields.appleFlag("critical") ?? isCritical,
          volume: fields.number("volume", in: 0...1).value)
      }
      guard let sound else { return nil }
      self = sound
    }
  }
}
