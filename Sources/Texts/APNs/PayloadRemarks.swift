extension PayloadValidator {
  /// The members of a payload that are of the right form and do nothing, for the people who wrote
  /// it; a rendering leaves them out by itself.
  ///
  /// - Parameter place: The place of the payload, `/payload`.
  public static func membersWithoutEffect(
    of payload: Payload, at place: String
  ) -> [PayloadProblem] {
    guard let aps = payload.aps else { return [] }
    var problems: [PayloadProblem] = []
    func add(_ name: String, _ text: String?) {
      problems.add(
        .memberEmpty, at: "\(place)/aps/\(name)", if: text?.isEmpty == true,
        "A device takes an empty text for none; leave the member out.")
    }
    // An alert without any text is a fault of its own.
    if case .object(let alert) = aps.alert, alert.isVisible {
      add("alert/title", alert.title)
      add("alert/subtitle", alert.subtitle)
      add("alert/body", alert.body)
      add("alert/launch-image", alert.launchImage)
      add("alert/action-loc-key", alert.actionLocKey)
      add("alert/sound", alert.sound)
    }
    for member in aps.known where member.key.rules.scope == .any {
      if case .text(let text) = member.value { add(member.key.name, text) }
    }
    switch aps.sound {
    case .named(let name): add("sound", name)
    case .critical(let sound):
      // A sound of another form than Apple's is a fault of its own.
      guard let volume = sound.volume, (0...1).contains(volume), sound.name?.isEmpty == false,
        sound.rest.isEmpty
      else { break }
      problems.add(
        .volumeIgnored, at: "\(place)/aps/sound/volume", if: (sound.critical ?? 0) == 0,
        "Only a sound with `critical` 1 has a volume.")
    case nil: break
    }
    return problems
  }
}
