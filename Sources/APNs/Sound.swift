public import JSON

/// The value of `sound`.
public enum Sound: Sendable, Hashable {
  /// A file in the app's bundle or its `Library/Sounds`, or `default`.
  case named(String)
  /// The dictionary form, which only critical alerts may use.
  case critical(CriticalSound)
}

/// The keys of the `sound` dictionary (Apple, "Generating a remote notification", table 3).
public struct CriticalSound: Sendable, Hashable {
  /// `critical`: 1 makes the alert critical; the app needs the entitlement and the user's consent.
  public var critical: Int?
  /// `name`: a file name or `default`.
  public var name: String?
  /// `volume`: 0 (silent) to 1 (full).
  public var volume: Double?
  /// Members that have no typed place.
  public var rest: JSONObject = [:]

  /// A critical sound.
  public init(critical: Int? = 1, name: String? = "default", volume: Double? = nil) {
    self.critical = critical
    self.name = name
    self.volume = volume
  }

  /// Takes the typed members out of an object; what does not fit stays in ``rest``.
  public init(_ object: JSONObject) {
    var members = JSONMembers(rest: object)
    critical = members.integer("critical")
    name = members.string("name")
    volume = members.number("volume")
    rest = members.rest
  }

  /// Writes the dictionary, members in the order of their names.
  public func write(to writer: inout JSONWriter) { members.write(to: &writer) }

  var members: JSONMemberList {
    var list = JSONMemberList(capacity: 3)
    list.add("critical", critical)
    list.add("name", name)
    list.add("volume", volume)
    list.add(rest: rest)
    return list
  }
}
