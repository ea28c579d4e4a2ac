internal import ASCII
public import JSON

/// A list of words; the value of a member of `aps` is one of them.
public protocol APSWord: RawRepresentable<String>, CaseIterable, Sendable {}

/// How insistently the system presents a notification, from iOS 15.
public enum InterruptionLevel: String, APSWord, Hashable {
  /// Into the list, without lighting the screen.
  case passive
  /// The usual level, which a device assumes when nothing is said.
  case active
  /// Breaks through Focus; the app needs the Time Sensitive capability.
  case timeSensitive = "time-sensitive"
  /// Breaks through the mute switch; the app needs the critical-alerts entitlement.
  case critical
}

/// What becomes of a Live Activity.
public enum ActivityEvent: String, APSWord, Hashable {
  /// It begins, from iOS 17.2.
  case start
  /// It shows something else.
  case update
  /// It is over.
  case end
}

/// The dictionary `aps`: a value for each ``APSKey`` that is there.
public struct APS: Sendable, Hashable {
  struct Member: Sendable, Hashable {
    let key: APSKey
    var value: APSValue
  }

  /// Apple's members in the order of their names, as they are written.
  private(set) var known: [Member] = []
  /// All others: unknown names, values of another kind. Devices ignore them.
  public var rest: JSONObject = [:]

  public init() {}

  /// Takes Apple's members out of an object; members that do not fit stay in ``rest``.
  public init(_ object: JSONObject) {
    for (name, value) in object {
      if let key = APSKey(name: name), let value = APSValue(value, key.rules.kind) {
        self[key] = value
      } else {
        rest[name] = value
      }
    }
  }

  /// The value of a member, which is of the kind that its ``APSKey/rules`` say.
  public subscript(key: APSKey) -> APSValue? {
    get { known.first { $0.key == key }?.value }
    set {
      let place = known.firstIndex { $0.key >= key } ?? known.endIndex
      let isThere = place < known.endIndex && known[place].key == key
      switch newValue {
      case let value? where isThere: known[place].value = value
      case let value?: known.insert(Member(key: key, value: value), at: place)
      case nil: if isThere { known.remove(at: place) }
      }
    }
  }

  public var isEmpty: Bool { known.isEmpty && rest.isEmpty }

  /// The members in the order of their names, as they are written.
  var members: JSONMemberList {
    var list = JSONMemberList(capacity: known.count + rest.count)
    for member in known { list.add(member.key.name, member.value) }
    list.add(rest: rest)
    return list
  }
}

/// The value of a member of `aps`.
public enum APSValue: Sendable, Hashable {
  indirect case alert(AlertForm)
  indirect case sound(Sound)
  /// A text, or a word.
  case text(String)
  /// A whole number, a time or a flag.
  case integer(Int)
  /// The word of this number, instead of a whole number that is not known yet: see `JSONGap`.
  case gap(Int)
  case number(Double)
  /// `true` or `false`.
  case truth(Bool)
  /// An object of the app's own form.
  case object(JSONObject)
  case texts([String])

  /// The value of a member of this kind; `nil` when the JSON is of another kind.
  init?(_ json: JSONValue, _ kind: APSRules.Kind) {
    let value: APSValue? =
      switch kind {
      case .alert:
        json.text.map { .alert(.text($0)) } ?? json.object.map { .alert(.object(Alert($0))) }
      case .sound:
        json.text.map { .sound(.named($0)) }
          ?? json.object.map { .sound(.critical(CriticalSound($0))) }
      case .text: json.text.map(APSValue.text)
      case .word(let words): json.text.flatMap { words.init(spelled: $0) }.map(APSValue.word)
      case .flag, .count, .time: json.integer.map(APSValue.integer)
      case .score: json.exactNumber.map(APSValue.number)
      case .truth: json.bool.map(APSValue.truth)
      case .object: json.object.map(APSValue.object)
      case .texts: json.texts.map(APSValue.texts)
      }
    guard let value else { return nil }
    self = value
  }

  /// One of Apple's words.
  private static func word(_ word: any APSWord) -> APSValue { .text(word.rawValue) }
}

/// Members that the code asks for by their meaning.
extension APS {
  public var alert: AlertForm? {
    get { if case .alert(let alert)? = self[.alert] { alert } else { nil } }
    set { self[.alert] = newValue.map(APSValue.alert) }
  }

  public var sound: Sound? {
    get { if case .sound(let sound)? = self[.sound] { sound } else { nil } }
    set { self[.sound] = newValue.map(APSValue.sound) }
  }

  /// What becomes of a Live Activity, or of what a remote session plays.
  public var event: ActivityEvent? { word(.event) }

  public var interruptionLevel: InterruptionLevel? { word(.interruptionLevel) }

  /// Whether it wakes the app in the background.
  public var wakesApp: Bool { self[.contentAvailable] == .integer(1) }

  /// The attributes of a Live Activity that starts, or of what a remote session plays.
  var attributes: JSONObject? {
    if case .object(let attributes)? = self[.attributes] { attributes } else { nil }
  }

  private func word<Word: APSWord>(_ key: APSKey) -> Word? {
    if case .text(let text)? = self[key] { Word(spelled: text) } else { nil }
  }
}

/// The value of `sound`.
public enum Sound: Sendable, Hashable {
  /// A file in the app's bundle or its `Library/Sounds`, or `default`.
  case named(String)
  /// The dictionary form, which only critical alerts may use.
  case critical(CriticalSound)
}

/// The keys of the `sound` dictionary (Apple, "Generating a remote notification", table 3).
public struct CriticalSound: JSONWritable, Sendable, Hashable {
  /// `critical`: 1 makes the alert critical; the app needs the entitlement and the user's consent.
  public var critical: Int?
  /// `name`: a file name or `default`.
  public var name: String?
  /// `volume`: 0 (silent) to 1 (full).
  public var volume: Double?
  /// Members that have no typed place.
  public var rest: JSONObject = [:]

  public init(critical: Int? = 1, name: String? = "default", volume: Double? = nil) {
    self.critical = critical
    self.name = name
    self.volume = volume
  }

  /// Takes the typed members out of an object; members that do not fit stay in ``rest``.
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
