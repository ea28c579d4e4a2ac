extension RemotePayload {
  /// The value of `sound` (docs/apple.md 1.1 and 1.3).
  public enum Sound: Sendable, Hashable {
    /// A file of the app's bundle or of its `Library/Sounds`, or `default`.
    case named(String)
    /// The object that only critical alerts have.
    case critical(CriticalSound)

    /// Reads a text or an object; `nil` for anything else.
    init?(_ value: PayloadValue) {
      switch value {
      case .string(let name): self = .named(name)
      case .object(let object): self = .critical(CriticalSound(object))
      default: return nil
      }
    }

    /// The sound as it is written.
    var value: PayloadValue {
      switch self {
      case .named(let name): .string(name)
      case .critical(let sound): .object(sound.object)
      }
    }
  }

  /// The sound of a critical alert (docs/apple.md 1.3).
  public struct CriticalSound: Sendable, Hashable {
    /// `critical`: 1 makes the alert critical; the app needs the entitlement and the person's
    /// consent.
    public var critical: Int?
    /// `name`: a file, or `default`.
    public var name: String?
    /// `volume`: 0 is silent, 1 is full; a device brings others between them.
    public var volume: Double?
    /// Members without a typed place.
    public var rest: [String: PayloadValue] = [:]

    /// A critical sound.
    public init(critical: Int? = 1, name: String? = "default", volume: Double? = nil) {
      self.critical = critical
      self.name = name
      self.volume = volume
    }

    /// Takes the typed members out of an object; what does not fit stays in ``rest``.
    public init(_ object: [String: PayloadValue]) {
      var members = PayloadMembers(object)
      critical = members.integer("critical")
      name = members.text("name")
      volume = members.number("volume")
      rest = members.rest
    }

    /// The members as one object.
    public var object: [String: PayloadValue] {
      var object = rest
      object.put("critical", critical)
      object.put("name", name)
      object.put("volume", volume)
      return object
    }

    /// Whether the alert is critical: `critical` as a device reads it, in whatever form it came.
    public var isCritical: Bool { object["critical"]?.isFlagged ?? false }
  }
}
