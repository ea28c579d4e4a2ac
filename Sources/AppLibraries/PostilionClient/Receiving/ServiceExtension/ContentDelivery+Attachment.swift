import Foundation

extension ContentDelivery {
  /// Edits a content, fetches its attachments, and delivers: when all is there, when there is
  /// nothing to do, or with what there is when the time ends.
  ///
  /// - Parameters:
  ///   - content: what the notification says, as a value.
  ///   - download: fetches the attachments; without one those that are elsewhere are left out.
  ///   - seconds: the time for all of it: 20 unless given, as a service extension has about 30.
  ///   - sleep: waits for the time to end; a test gives another clock.
  ///   - edit: changes the value before the attachments are fetched, as by decrypting it. If it
  ///     throws or is late, the notification says what it said.
  ///   - receipt: tells your backend; the delivery waits for it, 5 seconds at most.
  ///   - apply: makes a content of the best one and the value, whose attachments are all on the
  ///     device. It is called after the edit, and once more with the attachments; files that
  ///     were fetched are removed afterwards if they are still there. If it throws, the best one
  ///     stays.
  /// - Returns: the work, which ends after the delivery.
  @discardableResult
  public func start(
    _ content: NotificationContent, download: AttachmentDownload?,
    within seconds: TimeInterval = 20,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(seconds: $0)
    },
    edit: NotificationEdit? = nil, receipt: (@Sendable () async -> Void)? = nil,
    apply: @escaping @Sendable (Content, NotificationContent) throws -> Content
  ) -> Task<Void, Never> {
    guard edit != nil || receipt != nil || !content.attachments.isEmpty else {
      finish()
      return Task {}
    }
    return Task {
      let deadline = Deadline(in: seconds, sleep: sleep)
      async let told: Void = Self.tell(receipt, within: seconds, sleep: sleep)
      var edited = content
      if let edit, let change = await Self.edited(content, by: edit, until: deadline) {
        edited = change
        _ = try? self.improve { try apply($0, change.withoutAttachments) }
      }
      let listed = edited.attachments
      edited.attachments =
        await download?.fetched(listed, until: deadline) ?? listed.filter(\.isOnDevice)
      if !edited.attachments.isEmpty {
        let attached = edited
        _ = try? self.improve { try apply($0, attached) }
        for fetched in attached.attachments where !listed.contains(fetched) {
          guard case .file(let file) = fetched.source else { continue }
          try? FileManager.default.removeItem(at: file)
        }
      }
      await told
      deadline.cancel()
      self.finish()
    }
  }

  /// Fetches the attachments of a payload, attaches them, and delivers: when the files are there,
  /// when there are none, or with those that there are when the time ends.
  ///
  /// - Parameters:
  ///   - payload: the payload that came with the content.
  ///   - download: fetches the attachments; without one the content is delivered at once.
  ///   - seconds: the time, 20 seconds unless given: a service extension has about 30.
  ///   - sleep: waits for the time to end; a test gives another clock.
  ///   - attach: makes a content with one more file of the one without; if it throws, that one
  ///     stays. The file is removed afterwards if it is still there.
  /// - Returns: the work, which ends after the delivery.
  @discardableResult
  public func start(
    _ payload: RemotePayload, download: AttachmentDownload?, within seconds: TimeInterval = 20,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(seconds: $0)
    },
    attach: @escaping @Sendable (Content, URL) throws -> Content
  ) -> Task<Void, Never> {
    var value = NotificationContent()
    value.attachments = download?.attachments(in: payload).filter { !$0.isOnDevice } ?? []
    return start(value, download: download, within: seconds, sleep: sleep) { content, value in
      value.attachments.reduce(content) { content, attachment in
        guard case .file(let file) = attachment.source else { return content }
        return (try? attach(content, file)) ?? content
      }
    }
  }

  /// A content after an edit; `nil` if that threw, or was late.
  private static func edited(
    _ content: NotificationContent, by edit: @escaping NotificationEdit, until deadline: Deadline
  ) async -> NotificationContent? {
    let results = await deadline.results(of: [
      {
        var edited = content
        do { try await edit(&edited) } catch { return nil }
        return edited
      } as @Sendable () async -> NotificationContent?
    ])
    return results.first.flatMap { $0 ?? nil }
  }

  /// Gives the receipt its time.
  private static func tell(
    _ receipt: (@Sendable () async -> Void)?, within seconds: TimeInterval,
    sleep: @escaping Deadline.Sleep
  ) async {
    guard let receipt else { return }
    let deadline = Deadline(in: min(seconds, ReceivingLimits.receiptSeconds), sleep: sleep)
    _ = await deadline.results(of: [receipt])
    deadline.cancel()
  }
}

/// Changes what a notification says before it is shown.
public typealias NotificationEdit = @Sendable (inout NotificationContent) async throws -> Void

extension NotificationContent {
  /// The same before its attachments are there.
  fileprivate var withoutAttachments: Self {
    var content = self
    content.attachments = []
    return content
  }
}

extension NotificationAttachment {
  /// Whether the file needs no download.
  fileprivate var isOnDevice: Bool {
    if case .remote = source { false } else { true }
  }
}
