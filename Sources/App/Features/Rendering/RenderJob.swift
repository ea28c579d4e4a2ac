internal import Content
internal import DeviceProfile
internal import EventLoop
internal import JSON
internal import Localization
internal import Postgres
internal import Registry
internal import Rendering

/// One `POST …/render` on its way: who gets what, each distinct content made once.
final class RenderJob: @unchecked Sendable {
  typealias Memory = RenderMemory<RawColumns, Circumstances>

  private let renderer: Renderer
  let app: AppRecord
  private let includesDenied: Bool
  let context: LoopContext
  private let metrics: RenderMetrics
  private let catalogs: RenderCatalogs
  private var memory = Memory()
  private var ids: RequestIDs
  private var ended: EndedActivities
  private(set) var summary = RenderSummary()

  init(
    _ renderer: Renderer, app: AppRecord, _ target: CredentialTarget, _ settings: RenderSettings,
    context: LoopContext, metrics: RenderMetrics
  ) {
    self.renderer = renderer
    self.app = app
    includesDenied = settings.includesDenied
    self.context = context
    self.metrics = metrics
    ended = EndedActivities(target, settings)
    catalogs = RenderCatalogs(of: app, context, metrics)
    ids = RequestIDs(RandomIDs(context.shared.randomBytes, batch: 256))
  }

  /// What of a device matters to the message.
  var aspects: DeviceAspects { renderer.aspects }

  /// The attributes of devices that the message needs.
  var attributes: [String] { renderer.attributes }

  /// What devices with these traits get.
  func verdict(of traits: RawColumns) async throws -> Memory.NumberedVerdict {
    switch try await Addressee(traits, catalogs) {
    case .unreachable(let reason): return .skipped(reason)
    case .device(let device, let views):
      let circumstances = renderer.circumstances(of: device, catalogs: views)
      let verdict = memory.verdict(in: circumstances) { memory in
        switch renderer.verdict(in: circumstances, includesDenied: includesDenied) {
        case .content(let content): return .content(memory.number(of: content))
        case .skipped(let reason, _): return .skipped(reason)
        }
      }
      if case .content(let number) = verdict, memory.content(number).usesNearestCatalog {
        catalogs.tellMissing(device.build)
      }
      return verdict
    }
  }

  /// Counts installations that the audience lists and that are not there, once all others are.
  func countMissing(listed: Int) {
    settle()
    memory.count(.skipped(.installationNotFound), devices: max(0, listed - summary.devices))
  }

  /// Writes a portion of an audience as lines.
  func write(
    _ rows: [AudienceRow], with writer: inout any DeliveryWriter, to lines: inout LineBuffer
  ) async throws {
    var turnBegan = Monotonic.now()
    for row in rows {
      let verdict: Memory.NumberedVerdict
      if let known = memory.verdict(of: row.traits) {
        verdict = known
      } else {
        if memory.isFull {
          // The writer knows contents by their numbers, too, and they begin anew: it writes what
          // waits.
          writer.finish(to: &lines)
          settle()
        }
        verdict = try await self.verdict(of: row.traits)
        memory.remember(verdict, of: row.traits, bytes: row.traits.byteCount)
        if Monotonic.now() - turnBegan >= Limits.renderTurnNanoseconds {
          // Others of this loop have their turn.
          await context.loop.sleep(nanoseconds: 0)
          turnBegan = Monotonic.now()
        }
      }
      memory.count(verdict)
      if case .content(let number) = verdict, let recipient = ids.recipient(row) {
        writer.add(recipient, number, memory.content(number), to: &lines)
        ended.add(row)
      }
    }
    try await ended.end(in: context, of: app)
  }

  /// Adds what was delivered and what was not to summary and metrics, and forgets it: at the end,
  /// and when it is too much to remember.
  func settle() {
    let account = memory.settle()
    for (content, devices) in account.delivered {
      summary.add(content, devices: devices)
      metrics.rendered(content, devices: devices)
    }
    for (reason, devices) in account.skipped {
      summary.skipped[reason, default: 0] += devices
      metrics.skipped(reason, devices: devices)
    }
  }
}
