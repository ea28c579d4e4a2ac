import Foundation

/// What the app tells of its person and its device.
extension Postilion {
  /// A person has signed in. An installation has one person, or none: where several use the app on
  /// one device, it is the one who is at it. If it is another one than before, the tags and
  /// attributes of the last go, on the device and on the server: tell those of this person
  /// afterwards.
  /// - Parameters:
  ///   - id: The person's name in your backend, 1 to 256 bytes. Any other is nobody's: it signs the
  ///     person out.
  ///   - proof: The JWT that your backend signed. Without it the server takes nobody, unless the
  ///     app's `identity_verification` is `off`. The same person without a proof keeps the one that
  ///     the server has not seen yet.
  public nonisolated func setUser(_ id: String, proof: String? = nil) {
    guard (1...256).contains(id.utf8.count), !id.utf8.contains(0) else {
      refuse("user_id")
      return tell(.signedOut)
    }
    tell(.signedIn(id, proof: proof))
  }

  /// The person has signed out: the device stays registered and belongs to nobody, without tags and
  /// attributes. It needs no session with your backend, and no network now. Told as the app goes to
  /// the background, it is sent before the system suspends the app.
  public nonisolated func signOut() { tell(.signedOut) }

  /// The words that the device can be found by: up to 60 of 1 to 128 bytes. They are all that the
  /// app gives it. Those that a backend gives it stay.
  public nonisolated func setTags(_ tags: [String]) {
    tell(.fields([.tags: .array(tags.map { .string($0) })]))
  }

  /// More of these words; the app's others stay.
  public nonisolated func addTags(_ tags: [String]) { tell(.tags(tags, areAdded: true)) }

  /// The app takes some of its words back; its others stay, and so do those of a backend.
  public nonisolated func removeTags(_ tags: [String]) { tell(.tags(tags, areAdded: false)) }

  /// The app's own facts of the device or its person: up to 64 strings, numbers and booleans,
  /// together at most 4096 bytes as JSON. They are all that the app says of it; those that a
  /// backend says stay. A null, or a number that is not finite, is left out.
  public nonisolated func setAttributes(_ attributes: [String: PayloadValue]) {
    tell(.fields([.attributes: .object(attributes)]))
  }

  /// The language that the person chose in the app, a tag such as `fr-CA`; it goes before those of
  /// the system. `nil` for those of the system alone.
  public nonisolated func setLanguage(_ language: String?) { tell(.language(language)) }

  /// What the person allows.
  public nonisolated func setAuthorization(_ authorization: NotificationAuthorization) {
    tell(.fields([.authorization: authorization.payloadValue]))
  }

  /// Whether the system wakes the app for silent notifications.
  public nonisolated func setBackgroundRefresh(_ status: BackgroundRefreshStatus) {
    tell(.fields([.backgroundRefresh: .string(status.rawValue)]))
  }

  /// No installation on the server any more, until ``optIn()``: neither tokens nor reports.
  /// ``optOut(within:)`` says when that is done.
  public nonisolated func optOut() { tell(.opted(isIn: false)) }

  /// An installation on the server again, with all that was told meanwhile.
  public nonisolated func optIn() { tell(.opted(isIn: true)) }

  /// The app came to the front, or the network came back: what waits after a failure is tried at
  /// once.
  public nonisolated func wake() { tell(.woken) }

  /// Something about the device or the app has changed while it runs, such as its languages.
  public nonisolated func update(_ profile: DeviceProfile = .current) {
    tell(.fields(profile.fields))
  }
}
