public import EventLoop
public import Postgres
internal import Registry
internal import Synchronization

/// A service with a sample app that looks as if it had run for thirty days: for a person who wants
/// to see the service at work, for pictures, and for tests of the console.
///
/// Everything comes in by the service's own calls, while its clock goes through the thirty days.
public enum Demo {
  /// The running demo.
  public struct Started: Sendable {
    /// The service; the caller that starts it stops it.
    public let service: Service
    /// The console's address, with a key of the sample app.
    public let console: String
    /// The number of devices.
    public let devices: Int
  }

  /// A call of the demo's that the service refused: a mistake of ours, or a database that is gone.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// The call, the status and the answer.
    public let description: String
  }

  /// Starts a service on an empty database, and lets the thirty days pass.
  /// - Parameters:
  ///   - address: The address of the configuration.
  ///   - database: The database, which is changed.
  public static func start(
    _ configuration: Configuration, on address: TakenAddress, database: DatabaseAddress
  ) async throws -> Started {
    let clock = DemoClock()
    let service = try Service(configuration, database: database, clock: { clock.now })
    do {
      let root = APIKey(kind: .root, randomBytes: service.shared.randomBytes(24))
      try await service.start(on: address, rootKey: root)
      let story = DemoStory(
        devices: configuration.demoDevices, service: service, clock: clock, rootKey: root)
      let key = try await story.tell()
      clock.set(nil)
      service.startHousekeeping()
      return Started(
        service: service, console: "http://\(address.address)/#key=\(key)",
        devices: configuration.demoDevices)
    } catch {
      await service.stop()
      throw error
    }
  }
}

/// The wall clock, or a moment of the story.
final class DemoClock: Sendable {
  private let moment = Mutex<Timestamp?>(nil)

  /// The time of the service.
  var now: Timestamp { moment.withLock { $0 } ?? .systemNow }

  /// Stands still at a moment; `nil` lets it run with the wall clock.
  func set(_ moment: Timestamp?) { self.moment.withLock { $0 = moment } }
}
