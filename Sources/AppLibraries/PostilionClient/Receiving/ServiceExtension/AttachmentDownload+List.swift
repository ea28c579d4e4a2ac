import Foundation

extension AttachmentDownload {
  /// Fetches those of a list that are elsewhere, all at the same time.
  ///
  /// - Parameters:
  ///   - attachments: the list, of which the first 8 count.
  ///   - seconds: the time for all of them together: 20 unless given, of the 30 that the system
  ///     gives a service extension or a silent notification.
  /// - Returns: the list with files in place of addresses; those that cannot be fetched, or are not
  ///   there when the time ends, are left out.
  public func fetched(
    _ attachments: [NotificationAttachment], within seconds: TimeInterval = 20
  ) async -> [NotificationAttachment] {
    let deadline = Deadline(in: seconds, sleep: Deadline.sleep)
    defer { deadline.cancel() }
    return await fetched(attachments, until: deadline)
  }

  /// The same until a deadline that other work may share.
  func fetched(
    _ attachments: [NotificationAttachment], until deadline: Deadline
  ) async -> [NotificationAttachment] {
    let listed = attachments.prefix(ReceivingLimits.attachments)
    let downloads = listed.compactMap { attachment -> (@Sendable () async -> URL?)? in
      guard case .remote(let url) = attachment.source else { return nil }
      return { try? await file(at: url) }
    }
    let results = await deadline.results(of: downloads) { file in
      // It came too late to be shown.
      if let file { try? FileManager.default.removeItem(at: file) }
    }
    var files = results.makeIterator()
    return listed.compactMap { attachment in
      guard case .remote = attachment.source else { return attachment }
      guard case let file?? = files.next() ?? nil else { return nil }
      return NotificationAttachment(.file(file), identifier: attachment.identifier)
    }
  }
}
