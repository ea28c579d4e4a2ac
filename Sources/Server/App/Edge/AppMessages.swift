internal import Content
internal import JSON
internal import Rendering

extension AppFacts {
  /// The facts of an app that rendering needs.
  init(_ app: AppRecord) {
    self.init(
      bundleID: app.bundleID.text, developmentLanguage: app.developmentLanguage,
      messageTypeKey: app.messageTypeKey, localNotificationKey: app.localNotificationKey,
      hasOtherBundles: !app.bundleIDs.isEmpty, activityTypes: app.activityTypes.types)
  }
}

extension ContentStore {
  /// The message of a choice, with its name when it is stored, and the values of its parameters.
  /// - Throws: ``InputFailure`` for a message in the body that the app cannot have, or for
  ///   arguments that a stored message does not have; ``ContentFailure/messageNotFound``;
  ///   ``PostgresError``.
  func resolve(
    _ choice: MessageChoice, of app: AppRecord
  ) async throws -> (name: String?, message: Message, arguments: Arguments) {
    if case .inline(let message, _, _) = choice { try message.check(for: app) }
    let resolved = try await resolve(choice, of: app.id)
    try resolved.message.checkState(for: app)
    return resolved
  }

  /// The message of a source, with its name when it is stored.
  /// - Throws: As above.
  func resolve(
    _ source: MessageSource, of app: AppRecord
  ) async throws -> (name: String?, message: Message) {
    if case .inline(let message, _) = source { try message.check(for: app) }
    let resolved = try await resolve(source, of: app.id)
    try resolved.message.checkState(for: app)
    return resolved
  }
}

extension Message {
  /// Refuses a stored message whose state no phone could decode, because the app has described the
  /// type since.
  fileprivate func checkState(for app: AppRecord) throws(InputFailure) {
    if push != nil, !app.activityTypes.types.isEmpty { try check(for: app) }
  }

  /// Refuses a message of the present call that its app cannot have.
  /// - Parameter isNamed: Whether the message is about to be stored, and is the whole body.
  func check(for app: AppRecord, isNamed: Bool = false) throws(InputFailure) {
    let faults = faults(for: AppFacts(app), isNamed: isNamed, at: isNamed ? "" : "/message")
    if !faults.isEmpty { throw InputFailure(faults) }
  }
}
