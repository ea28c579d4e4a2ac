// Decodes what pushes carry as the system does for an app: by a `JSONDecoder` with nothing set.
//
// Reads lines `{"type": …, "json": …}`. Answers each with a line: `{"value": …}`, which is the
// value written again, with its dates as ISO 8601; or `{"error": …}`, with the place of the fault.

import Foundation

/// The attributes of the Live Activity of the tests.
struct Delivery: Codable {
  /// The number of the order.
  var order: String
  /// When it was placed.
  var placed: Date
  /// Where it comes from.
  var restaurant: Restaurant?
  /// Words for it.
  var tags: [String]

  /// A place with a name in the language of the person.
  struct Restaurant: Codable {
    /// As it is shown.
    var name: String
    /// Its page.
    var page: URL?
  }

  /// What changes while it runs.
  struct ContentState: Codable {
    /// A text of the app's strings.
    var step: String
    /// A text that the message brings.
    var note: String?
    /// A text with a plural.
    var summary: String?
    /// When it arrives.
    var eta: Date?
    /// Earlier guesses.
    var guesses: [Date]?
    /// How far it is.
    var phase: Phase
    /// What is known at this point.
    var progress: Progress
    /// Who brings it.
    var courier: Courier?
    /// How much of the way is done, from 0 to 1.
    var ratio: Double?
    /// Whether it is late.
    var isLate: Bool
    /// Where the courier stops.
    var stops: [Stop]?
    /// How many of each dish.
    var dishes: [String: Int]?
    /// A number that no floating-point number can be.
    var serial: Int64?
    /// A small picture.
    var picture: Data?
  }

  /// An enum with a raw value.
  enum Phase: String, Codable {
    case cooking, riding
    case handedOver = "handed over"
  }

  /// An enum with associated values.
  enum Progress: Codable {
    case waiting
    case riding(rider: String, minutes: Int)
    case arrived(Date)
  }

  /// A person with a vehicle.
  struct Courier: Codable {
    /// As it is shown.
    var name: String
    /// Walks without one.
    var vehicle: Vehicle?
  }

  /// An optional in an optional.
  struct Vehicle: Codable {
    /// What it is.
    var wheels: Wheels
    /// Bicycles have none.
    var plate: String?
    /// Since when it is used.
    var since: Date?
  }

  /// An enum whose raw value is a number.
  enum Wheels: Int, Codable {
    case two = 2
    case four = 4
  }

  /// A place on the way.
  struct Stop: Codable {
    /// As it is shown.
    var name: String
    /// When the courier was there.
    var at: Date?
  }
}

/// What the app of the tests plays, from elsewhere. Its date is a text, as in Apple's example.
struct Track: Codable {
  /// The session.
  var id: String
  /// A text in the language of the person.
  var title: String?
  /// Since when it plays.
  var since: String?
  /// Seconds.
  var duration: Double?
}

/// The type that a line names.
struct Head: Decodable {
  /// The name of a Swift type above.
  var type: String
}

/// A line of input.
struct Line<Value: Decodable>: Decodable {
  /// What is decoded.
  var json: Value
}

/// A line of output.
struct Answer<Value: Encodable>: Encodable {
  /// What was decoded.
  var value: Value
}

/// A line of output.
struct Failure: Encodable {
  /// The place of the fault, and what it is.
  var error: String

  init(_ error: any Error) {
    guard let error = error as? DecodingError else {
      self.error = "\(error)"
      return
    }
    let context =
      switch error {
      case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
        .valueNotFound(_, let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
      }
    let place = context.codingPath.dropFirst().map(\.stringValue).joined(separator: "/")
    self.error = "\(place): \(context.debugDescription)"
  }
}

let writer = JSONEncoder()
writer.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
writer.dateEncodingStrategy = .iso8601

/// The answer to a line whose type is known.
func answer<Value: Codable>(_ line: Data, as _: Value.Type) throws -> Data {
  try writer.encode(Answer(value: JSONDecoder().decode(Line<Value>.self, from: line).json))
}

/// The answer to a line.
func answer(_ line: Data) throws -> Data {
  do {
    switch try JSONDecoder().decode(Head.self, from: line).type {
    case "Delivery": return try answer(line, as: Delivery.self)
    case "Delivery.ContentState": return try answer(line, as: Delivery.ContentState.self)
    case "Track": return try answer(line, as: Track.self)
    case let other: throw CocoaError(.coderReadCorrupt, userInfo: ["type": other])
    }
  } catch {
    return try writer.encode(Failure(error))
  }
}

while let line = readLine() {
  print(String(decoding: try answer(Data(line.utf8)), as: UTF8.self))
}
