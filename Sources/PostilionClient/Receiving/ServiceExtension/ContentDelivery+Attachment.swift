import Foundation

extension ContentDelivery {
  /// Fetches the attachment of a payload, attaches it, and delivers: when the file is there, when
  /// there is none, or when the time ends.
  ///
  /// - Parameters:
  ///   - payload: the payload that came with the content.
  ///   - download: fetches the attachment; without one the content is delivered at once.
  ///   - seconds: the time, 25 seconds unless given: a service extension has about 30.
  ///   - sleep: waits for the time to end; a test gives another clock.
  ///   - attach: makes a content with the file of the one without; if it throws, that one stays.
  ///     The file is removed afterwards if it is still there.
  /// - Returns: the work, which ends after the delivery.
  @discardableResult
  public func start(
    _ payload: RemotePayload, download: AttachmentDownload?, within seconds: TimeInterval = 25,
    sleep: @escaping @Sendable (TimeInterval) async throws -> Void = {
      try await Task.sleep(nanoseconds: UInt64(max($0, 0) * 1_000_000_000))
    },
    attach: @escaping @Sendable (Content, URL) throws -> Content
  ) -> Task<Void, Never> {
    guard let download, download.url(in: payload) != nil else {
      finish()
      return Task {}
    }
    let work = Task {
      if let file = try? await download.file(for: payload) {
        _ = try? self.improve { try attach($0, file) }
        try? FileManager.default.removeItem(at: file)
      }
      self.finish()
    }
    let alarm = Task {
      guard (try? await sleep(seconds)) != nil else { return }
      self.finish()
      work.cancel()
    }
    return Task {
      await work.value
      alarm.cancel()
    }
  }
}
