public import DeviceProfile

extension Message {
  /// What of a device may matter to this message, whatever the values of its parameters are, and
  /// with any badge, collapse id and data of a recipient's own.
  public func aspects(_ options: RenderOptions) -> DeviceAspects {
    var aspects: DeviceAspects = attributes.isEmpty ? [] : .attributes
    if options.explain { return aspects.union(.all) }
    if !parameters.isEmpty { aspects.insert(.locale) }
    if parameters.values.contains(where: { $0.type.dependsOnTimeZone }) {
      aspects.insert(.timeZone)
    }
    if !options.isVoIP {
      aspects.insert(.authorization)
      if request(options) != .server || needsApp { aspects.insert(.abilities) }
    }
    if let push { aspects.formUnion(push.aspects) }
    return aspects
  }

  /// The attributes of devices that any parameter may come from, by name.
  public var attributes: [String] { Set(parameters.values.compactMap(\.attribute)).sorted() }
}

extension ParameterType {
  /// Whether each time zone writes its values in its own way.
  fileprivate var dependsOnTimeZone: Bool {
    switch self {
    case .date, .dateFields: true
    default: false
    }
  }
}
