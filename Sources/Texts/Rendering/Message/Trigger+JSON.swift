import JSON

extension Trigger {
  /// Reads the `trigger` of a message.
  init?(reading fields: FieldReader, parameters: [String: Parameter]) {
    let kind = fields.required(fields.word("type", of: Kind.self), "type")
    let trigger: Trigger?
    switch kind {
    case .timeInterval: trigger = Self.timeInterval(fields)
    case .calendar: trigger = Self.calendar(fields, parameters)
    case .location: trigger = Self.location(fields)
    case nil:
      // Which fields a trigger has is not known without its type.
      fields.ignoreUnknownFields()
      return nil
    }
    guard let trigger else { return nil }
    self = trigger
  }

  private static func timeInterval(_ fields: FieldReader) -> Trigger? {
    let change: Change<Int> = fields.integer("seconds", in: 1...MessageLimits.triggerSeconds)
    let seconds = fields.required(change, "seconds")
    let repeats = fields.flag("repeats").value ?? false
    guard let seconds else { return nil }
    if repeats && seconds < MessageLimits.repeatedSeconds {
      fields.refuse(
        .outOfRange, at: "seconds",
        "A trigger that repeats waits at least \(MessageLimits.repeatedSeconds) seconds.")
    }
    return .timeInterval(seconds: seconds, repeats: repeats)
  }

  private static func calendar(
    _ fields: FieldReader, _ parameters: [String: Parameter]
  ) -> Trigger? {
    guard fields.has("date") != fields.has("at") else {
      let detail = "A `date`, or `at` with the name of a date parameter."
      let fault: InputFault = fields.has("date") ? .tooMany : .missingField
      fields.refuse(fault.problem(at: fields.pointer, detail))
      fields.ignoreUnknownFields()
      return nil
    }
    if let name = fields.identifier("at").value { return moment(name, fields, parameters) }
    let date = fields.object("date", date).value
    let repeats = fields.flag("repeats").value ?? false
    return date.map { .calendar($0, repeats: repeats) }
  }

  private static func moment(
    _ name: String, _ fields: FieldReader, _ parameters: [String: Parameter]
  ) -> Trigger? {
    fields.checkParameters([name], parameters, at: fields.pointer(to: "at"))
    switch parameters[name]?.type {
    case .date, .dateFields, nil: return .moment(parameter: name)
    default:
      fields.refuse(.wrongType, at: "at", "`\(name)` is no `date`.")
      return nil
    }
  }

  private static func date(_ fields: FieldReader) -> [Component: Int]? {
    var date: [Component: Int] = [:]
    for component in Component.allCases {
      date[component] = fields.integer(component.rawValue, in: component.range).value
    }
    if Component.allCases.allSatisfy({ !fields.has($0.rawValue) }) {
      let names = Component.allCases.map(\.rawValue).joined(separator: ", ")
      fields.refuse(.missingField, pointer: fields.pointer, "One of: \(names).")
    }
    if let day = date[.day], let month = date[.month], day > days(month, date[.year]) {
      fields.refuse(.outOfRange, at: "day", "The month has fewer days.")
    }
    return date
  }

  /// How many days a month has; of February the most when the year is open.
  private static func days(_ month: Int, _ year: Int?) -> Int {
    switch month {
    case 4, 6, 9, 11: return 30
    case 2:
      guard let year else { return 29 }
      return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: return 31
    }
  }

  private static func location(_ fields: FieldReader) -> Trigger? {
    func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
      fields.required(fields.number(name, in: range), name)
    }
    let latitude = number("latitude", -90...90)
    let longitude = number("longitude", -180...180)
    let radius = number("radius", MessageLimits.radius)
    let onEntry = fields.flag("on_entry").value ?? true
    let onExit = fields.flag("on_exit").value ?? true
    let repeats = fields.flag("repeats").value ?? false
    if !onEntry && !onExit {
      fields.refuse(.unknownValue, at: "on_exit", "One of `on_entry` and `on_exit` is true.")
    }
    guard let latitude, let longitude, let radius else { return nil }
    let region = Region(
      latitude: latitude, longitude: longitude, radius: radius, onEntry: onEntry, onExit: onExit)
    return .location(region, repeats: repeats)
  }
}
