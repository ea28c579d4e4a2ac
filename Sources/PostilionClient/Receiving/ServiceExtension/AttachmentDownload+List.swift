extension AttachmentDownload {
  /// Fetches those of a list that are elsewhere, one after the other.
  ///
  /// - Returns: the list with files in place of addresses; those that cannot be fetched are left
  ///   out.
  public func fetched(_ attachments: [NotificationAttachment]) async -> [NotificationAttachment] {
    var fetched: [NotificationAttachment] = []
    for var attachment in attachments {
      if case .remote(let url) = attachment.source {
        guard let file = try? await file(at: url) else { continue }
        attachment.source = .file(file)
      }
      fetched.append(attachment)
    }
    return fetched
  }
}
