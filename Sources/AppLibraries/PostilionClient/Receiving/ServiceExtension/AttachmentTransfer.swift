import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Fetches one address by `URLSession`, and stops as soon as a bound is passed.
///
/// The session belongs to the one download, since its delegate does. It keeps no cookies and no
/// cache: they would tell the server of the picture who reads which notification.
final class AttachmentTransfer: NSObject, Sendable {
  private struct State {
    var file: FetchedFile?
    var failure: (any Error)?
    var redirections = 0
  }

  private let request: AttachmentRequest
  private let state = Guarded(State())
  private let outcome = Awaited<Result<FetchedFile, any Error>>()

  private init(_ request: AttachmentRequest) {
    self.request = request
  }

  /// Fetches an address; it stops when the task is cancelled.
  static func fetch(
    _ request: AttachmentRequest, configuration: URLSessionConfiguration = .ephemeral
  ) async throws -> FetchedFile {
    configuration.timeoutIntervalForRequest = request.timeout
    configuration.timeoutIntervalForResource = request.timeout
    let transfer = AttachmentTransfer(request)
    let session = URLSession(configuration: configuration, delegate: transfer, delegateQueue: nil)
    // The session holds its delegate until it is told that it is not needed any more.
    defer { session.finishTasksAndInvalidate() }
    return try await transfer.outcome.result(of: session.downloadTask(with: request.url))
  }

  /// Notes why there will be no file; the first reason counts.
  private func fail(_ failure: any Error) {
    state.withLock { $0.failure = $0.failure ?? failure }
  }
}

extension AttachmentTransfer: URLSessionDownloadDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let count = state.withLock { state in
      state.redirections += 1
      return state.redirections
    }
    let isAllowed =
      newRequest.url.map {
        AttachmentDownload.isAllowed($0, insecure: request.allowsInsecureHTTP)
      } ?? false
    if isAllowed && count <= ReceivingLimits.redirections {
      completionHandler(newRequest)
    } else {
      // Without a new request the redirection itself is the answer, whose file is not taken.
      fail(AttachmentDownload.Failure(.addressNotAllowed))
      completionHandler(nil)
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    if max(totalBytesWritten, totalBytesExpectedToWrite) > Int64(request.maximumBytes) {
      fail(AttachmentDownload.Failure(.size))
      downloadTask.cancel()
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo place: URL
  ) {
    if let status = (downloadTask.response as? HTTPURLResponse)?.statusCode,
      !(200..<300).contains(status)
    {
      fail(AttachmentDownload.Failure(.status, status: status))
      return
    }
    // The system removes the file as soon as this returns.
    let kept = place.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
    do {
      try FileManager.default.moveItem(at: place, to: kept)
      let file = FetchedFile(file: kept, mimeType: downloadTask.response?.mimeType)
      state.withLock { $0.file = file }
    } catch {
      fail(error)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let (file, failure) = state.withLock { ($0.file, $0.failure) }
    if let failure = failure ?? error {
      if let file { try? FileManager.default.removeItem(at: file.file) }
      let isLate = (failure as? URLError)?.code == .timedOut
      outcome.end(with: .failure(isLate ? AttachmentDownload.Failure(.timeout) : failure))
    } else if let file {
      outcome.end(with: .success(file))
    } else {
      outcome.end(with: .failure(URLError(.badServerResponse)))
    }
  }
}
