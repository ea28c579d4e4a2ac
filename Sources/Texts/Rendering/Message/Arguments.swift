internal import DeviceProfile
import FoundationEssentials
public import JSON
import Localization

/// The values of a message's parameters for one sending.
public struct Arguments: Sendable, Hashable {
  private struct Entry: Hashable {
    var type: ParameterType
    var value: Argument
    var shown: ParameterType.ShownNumber?

    init(type: ParameterType, value: Argument) {
      self.type = type
      self.value = value
      shown = type.shown(value)
    }
  }

  private var entries: [String: Entry] = [:]
  /// The parameter whose value is the badge.
  private let badge: String?
  /// Parameters without a value here. In a rendering each device may have an attribute for it.
  private(set) var open: [String: Parameter] = [:]
  /// Whether words are not known yet.
  private(set) var leaveGaps = false
  /// Whether there is, or may be, a value that each locale writes in its own way.
  private(set) var dependOnLocale = false
  /// Whether there is, or may be, a value that each time zone writes in its own way.
  private(set) var dependOnTimeZone = false

  /// Reads the values of a message's parameters, by name. If a value is left out, an attribute of
  /// the device stands in, if the parameter names one, or else the default.
  public init(reading fields: FieldReader, for message: Message) {
    badge = if case .parameter(let name)? = message.badge { name } else { nil }
    read(message.parameters, from: fields)
    findDependencies()
  }

  private init(openFor message: Message) {
    badge = nil
    open = message.parameters
    findDependencies()
  }

  /// Arguments without values. They tell what a message depends on, whatever its values are.
  public static func open(for message: Message) -> Arguments { Arguments(openFor: message) }

  /// The value of a parameter; nil when the message does not declare it.
  public subscript(name: String) -> Argument? { entries[name]?.value }

  /// What kind of value it is, if a device would not show the value as the server does when it gets
  /// it as text. `nil` for a text, and for a moment, which nobody expects a device to write by
  /// itself.
  func obstacle(_ name: String) -> String? {
    switch entries[name]?.value {
    case .text, .moment, .gap: nil
    case .integer, .number: "a number"
    case .list: "a list"
    case .translated(let text): "the key \(text.key)"
    case nil: "unknown"
    }
  }

  /// The moment of a date, in seconds since 1970; nil for anything else.
  func moment(_ name: String) -> Double? {
    if case .moment(let seconds, _)? = entries[name]?.value { seconds } else { nil }
  }

  /// A value as it stands in identifiers and data.
  func plainText(_ name: String) -> String? { entries[name]?.value.plainText }

  /// A text with its placeholders filled by values as they stand in identifiers; nil when the text
  /// is empty, as a device treats an empty text as absent.
  func text(_ template: Template?) -> String? {
    guard let text = template?.filled({ plainText($0) }), !text.isEmpty else { return nil }
    return text
  }

  /// A value for a text.
  func value(_ name: String, in circumstances: TextCircumstances) -> ArgumentValue? {
    guard let entry = entries[name] else { return nil }
    if case .text(let text) = entry.value { return .string(text) }
    return entry.type.value(of: entry.value, shown: entry.shown, in: circumstances)
  }

  /// Why a value of the right type cannot be taken; nil when it can.
  private func fault(of argument: Argument, for name: String) -> (InputFault, String)? {
    let bounds = TextBounds(maximum: MessageLimits.argumentBytes)
    if let fault = bounds.fault(of: argument.plainText) { return fault }
    guard name == badge, case .integer(let number) = argument else { return nil }
    return Badge.fault(of: number).map { (.outOfRange, $0) }
  }

  private mutating func read(
    _ parameters: [String: Parameter], from fields: FieldReader
  ) {
    for (name, parameter) in parameters.sorted(by: { $0.key < $1.key }) {
      guard let value = fields.json(name).value else {
        if parameter.attribute != nil {
          open[name] = parameter
        } else if let value = parameter.defaultValue {
          entries[name] = Entry(type: parameter.type, value: value)
        } else {
          fields.refuse(
            .missingArgument, at: name, "The message needs `\(name)`, and it has no default.")
        }
        continue
      }
      guard let argument = parameter.type.argument(value, at: name, fields) else { continue }
      if let (fault, detail) = fault(of: argument, for: name) {
        fields.refuse(fault, at: name, detail)
        continue
      }
      entries[name] = Entry(type: parameter.type, value: argument)
    }
    for name in fields.unknownNames {
      fields.refuse(.unknownArgument, at: name, "The message has no such parameter.")
    }
    fields.ignoreUnknownFields()
  }

  private mutating func findDependencies() {
    (dependOnLocale, dependOnTimeZone) = (false, false)
    for entry in entries.values {
      switch entry.value {
      // A text that is a number may meet `%d`, which writes it as the locale does.
      case .text(let text) where !ArgumentValue.string(text).isNumber: continue
      case .gap: continue
      default: depend(on: entry.type)
      }
    }
    for parameter in open.values { depend(on: parameter.type) }
  }

  private mutating func depend(on type: ParameterType) {
    dependOnLocale = true
    switch type {
    case .date, .dateFields: dependOnTimeZone = true
    default: break
    }
  }
}

extension Arguments {
  /// The same arguments, with gaps for the texts of these parameters. The first parameter gets the
  /// word 0, see `JSONGap`. A parameter without a text, or without a name, gets no gap.
  public func leavingGaps(for names: [String?]) -> Arguments {
    var open = self
    open.leaveGaps = true
    for (word, name) in names.enumerated() {
      guard let name, case .text? = entries[name]?.value else { continue }
      open.entries[name]?.value = .gap(word)
    }
    open.findDependencies()
    return open
  }
}

/// The values of a message's parameters for one device.
struct DeviceArguments {
  let arguments: Arguments
  /// Attributes that the device lacks, or that cannot be used, and what is missing without them.
  let problems: [RenderProblem]
  /// The first parameter without a value; nil when all have one.
  let refusal: RenderRefusal?
}

extension Arguments {
  /// Whether all devices have the same values.
  var areComplete: Bool { open.isEmpty }

  /// The attributes of devices that values are made of, by name.
  var attributes: [String] { Set(open.values.compactMap(\.attribute)).sorted() }

  /// The values for a device: an open parameter gets the device's attribute, or else the default.
  /// If there is neither, texts leave it out, and the device should get nothing.
  func completed(for device: Device) -> DeviceArguments {
    if areComplete { return DeviceArguments(arguments: self, problems: [], refusal: nil) }
    var complete = self
    complete.open = [:]
    var problems: [RenderProblem] = []
    var refusal: RenderRefusal?
    let attributes = device.attributeValues
    for (name, parameter) in open.sorted(by: { $0.key < $1.key }) {
      guard let attribute = parameter.attribute else { continue }
      let value = attributes[attribute]
      if let argument = value.flatMap({ parameter.type.argument($0) }),
        fault(of: argument, for: name) == nil
      {
        complete.entries[name] = Entry(type: parameter.type, value: argument)
        continue
      }
      if value != nil {
        problems.append(RenderProblem(.attributeUnusable, detail: attribute))
      } else if parameter.defaultValue != nil {
        problems.append(RenderProblem(.attributeMissing, detail: attribute))
      }
      if let value = parameter.defaultValue {
        complete.entries[name] = Entry(type: parameter.type, value: value)
      } else {
        problems.append(RenderProblem(missingParameter: name))
        refusal = refusal ?? RenderRefusal(cause: .missingArgument, detail: name)
      }
    }
    complete.findDependencies()
    return DeviceArguments(arguments: complete, problems: problems, refusal: refusal)
  }
}

extension Device {
  /// Its attributes that have a value, by name.
  fileprivate var attributeValues: JSONObject {
    guard let attributes, case .object(let members)? = JSONValue(parsing: Array(attributes.utf8))
    else { return [:] }
    return members.filter { $0.value != .null }
  }
}
