import PostilionClient

/// Processes the payloads of the message `order_ready`, which has `"data": {"order": "{order}"}`.
struct OrderReady: MessageProcessor {
  static let messageType = "order_ready"

  private struct Members: Decodable {
    var order: String
  }

  private let order: String

  init(payload: RemotePayload) throws {
    order = try payload.decode(Members.self).order
  }

  func process() async -> FetchResult {
    await Orders.shared.markReady(order) ? .newData : .noData
  }
}
