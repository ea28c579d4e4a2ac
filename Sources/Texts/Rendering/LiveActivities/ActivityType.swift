import APNs
import ASCII
public import JSON

/// An app's description of one type of its Live Activities: how its dates are read, and which
/// fields its state and attributes have.
///
///     {"dates": "iso8601", "content_state": {"step": "string", "eta": "date", "note?": "string"}}
public struct ActivityType: Sendable, Hashable {
  /// How dates stand in the state.
  var dates = DateForm.referenceSeconds
  /// The fields of the state; nil when the app does not say them.
  var contentState: StateSchema?
  /// The fields of the attributes.
  var attributes: StateSchema?

  public init?(reading fields: FieldReader) {
    dates = fields.word("dates").value ?? .referenceSeconds
    contentState = schema("content_state", fields)
    attributes = schema("attributes", fields)
  }

  private func schema(_ name: String, _ fields: FieldReader) -> StateSchema? {
    guard let value = fields.json(name).value else { return nil }
    guard case .object = value, value.isShallower(than: MessageLimits.dataDepth),
      let schema = StateSchema(value)
    else {
      fields.refuse(.unknownValue, at: name, StateSchema.rule)
      return nil
    }
    return schema
  }
}

/// The type that Swift decodes a value as.
indirect enum StateSchema: Sendable, Hashable {
  /// One of the words of a schema.
  enum Word: String, Sendable, Hashable {
    case string, integer, number, boolean, date, any
  }

  case word(Word)
  /// Each element is one of these.
  case array(StateSchema)
  /// Members by name.
  case object([Spelling: Field])

  /// A member of an object.
  struct Field: Sendable, Hashable {
    let schema: StateSchema
    /// Whether it may be left out, as a Swift optional.
    let isOptional: Bool
  }

  /// A sentence about the form of a schema.
  static let rule =
    "An object of fields: a word (string, integer, number, boolean, date, any), an array with one "
    + "of these in it, or an object of fields. A name that ends with `?` may be left out."

  /// Reads a schema; nil for a value that is none.
  init?(_ value: JSONValue) {
    switch value {
    case .string(let text):
      guard let word = Word(spelled: text) else { return nil }
      self = .word(word)
    case .array(let elements):
      guard elements.count == 1, let element = StateSchema(elements[0]) else { return nil }
      self = .array(element)
    case .object(let members):
      var fields: [Spelling: Field] = [:]
      for (name, member) in members {
        guard let schema = StateSchema(member) else { return nil }
        let isOptional = name.utf8.last == UInt8(ascii: "?")
        fields[Spelling(isOptional ? String(name.unicodeScalars.dropLast()) : name)] = Field(
          schema: schema, isOptional: isOptional)
      }
      self = .object(fields)
    default: return nil
    }
  }
}

extension SystemPush {
  /// The app's description of the activity's type; nil when there is none, or no type is named.
  private func declaredType(in app: AppFacts) -> ActivityType? {
    isActivity ? type.flatMap { app.activityTypes[$0] } : nil
  }

  /// How dates stand in its state.
  func dates(in app: AppFacts) -> DateForm {
    isActivity ? declaredType(in: app)?.dates ?? .referenceSeconds : .asGiven
  }

  /// The values that a phone could not decode: APNs would answer 200, and the phone would drop the
  /// push.
  /// - Parameter pointer: The place of the message.
  func undecodable(
    _ parameters: [String: Parameter], in app: AppFacts, at pointer: String
  ) -> [InputProblem] {
    if isActivity, type == nil, !app.activityTypes.isEmpty {
      return [
        InputFault.missingField.problem(
          at: "\(pointer)/\(member)/type",
          "Name the type of the activity: the app says how the states of its types are decoded.")
      ]
    }
    guard let declared = declaredType(in: app) else { return [] }
    return [
      ("content_state", contentState, declared.contentState),
      ("attributes", attributes, declared.attributes),
    ].flatMap { name, state, schema -> [InputProblem] in
      guard let state, let schema else { return [] }
      return schema.problems(
        of: StateShape(state, parameters), declared.dates,
        at: "\(pointer)/\(member)/\(name)")
    }
  }
}

/// The form of a template after it is filled. The types of parameters are known, so this form is
/// known before any device is.
private indirect enum StateShape {
  case string, integer, number, boolean, null
  /// A moment in the form in which the type reads dates.
  case moment
  /// A text that says a moment.
  case momentText
  case array([StateShape])
  case object([Spelling: StateShape])
  /// An argument that is a list of texts.
  case texts

  init(_ state: StateTemplate, _ parameters: [String: Parameter]) {
    switch state {
    case .data(let data): self.init(data, parameters)
    case .text: self = .string
    case .array(let elements): self = .array(elements.map { Self($0, parameters) })
    case .object(let members): self = .object(members.mapValues { Self($0, parameters) })
    }
  }

  private init(_ data: DataTemplate, _ parameters: [String: Parameter]) {
    switch data {
    case .constant(let value): self.init(value)
    case .text: self = .string
    case .value(let name): self.init(parameters[name]?.type ?? .string)
    case .array(let elements): self = .array(elements.map { Self($0, parameters) })
    case .object(let members): self = .object(members.mapValues { Self($0, parameters) })
    }
  }

  private init(_ value: JSONValue) {
    switch value {
    case .string(let text): self = DateForm.isISO8601(text) ? .momentText : .string
    case .integer: self = .integer
    case .double, .longNumber: self = .number
    case .bool: self = .boolean
    case .null: self = .null
    case .array(let elements): self = .array(elements.map { Self($0) })
    case .object(let members):
      self = .object(Dictionary(members.map { (Spelling($0), Self($1)) }) { $1 })
    }
  }

  private init(_ type: ParameterType) {
    switch type {
    case .string, .choice: self = .string
    case .integer, .duration: self = .integer
    case .decimal, .percent, .currency: self = .number
    case .date, .dateFields, .relativeDate: self = .moment
    case .list: self = .texts
    }
  }
}

extension StateSchema {
  /// The values that Swift could not decode, each with its place.
  fileprivate func problems(
    of shape: StateShape, _ dates: DateForm, at pointer: String
  ) -> [InputProblem] {
    switch (self, shape) {
    case (.array(let each), .array(let elements)):
      return elements.enumerated().flatMap { index, element in
        each.problems(of: element, dates, at: "\(pointer)/\(index)")
      }
    case (.object(let fields), .object(let members)):
      return fields.sorted { $0.key < $1.key }.flatMap { name, field -> [InputProblem] in
        let place = "\(pointer)/\(escapedPointer(name.text))"
        switch members[name] {
        case nil where field.isOptional, .null? where field.isOptional: return []
        case nil:
          return [InputFault.missingField.problem(at: place, "The app's type requires this field.")]
        case let member?: return field.schema.problems(of: member, dates, at: place)
        }
      }
    default:
      guard !takes(shape, dates) else { return [] }
      return [InputFault.wrongType.problem(at: pointer, "The app's type expects \(name) here.")]
    }
  }

  /// Whether a value that has no parts decodes.
  private func takes(_ shape: StateShape, _ dates: DateForm) -> Bool {
    switch (self, shape) {
    case (.word(.any), _), (.word(.string), .string), (.word(.string), .momentText),
      (.word(.integer), .integer), (.word(.number), .integer), (.word(.number), .number),
      (.word(.boolean), .boolean), (.word(.date), .moment), (.array(.word(.string)), .texts),
      (.array(.word(.any)), .texts):
      true
    case (.word(.string), .moment): dates == .iso8601 || dates == .asGiven
    case (.word(.date), .momentText): dates == .iso8601
    case (.word(.number), .moment), (.word(.date), .integer), (.word(.date), .number):
      dates != .iso8601
    default: false
    }
  }

  private var name: String {
    switch self {
    case .word(let word): word.rawValue
    case .array: "an array"
    case .object: "an object"
    }
  }
}
