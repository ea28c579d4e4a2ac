internal import Foundation

/// The picture of the ratios for the documents: a bar for each row that has a reference. A bar ends
/// at the ratio as a part of the goal, so that the goal is one line for all; a tick is the first
/// bar.
struct Chart {
  let rows: [Row]

  private static let rowHeight = 34
  private static let top = 56
  /// Where bars begin, and how long one is that reaches the goal.
  private static let left = 330.0
  private static let goalWidth = 240.0
  /// Longer bars are cut.
  private static let mostGoals = 1.4
  private static let width = 1000
  private static let paper = "#ffffff"
  private static let mark = "#57606a"

  /// The text of the file.
  var svg: String {
    let shown = rows.filter { if case .ratio = $0.bar { $0.ratio != nil } else { false } }
    let height = Self.top + shown.count * Self.rowHeight + 44
    let goal = Self.left + Self.goalWidth
    let bottom = height - 36
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
      viewBox="0 0 \(Self.width) \(height)" font-family="sans-serif" font-size="14" fill="#1f2328">
      """,
      #"<rect width="\#(Self.width)" height="\#(height)" fill="\#(Self.paper)"/>"#,
      #"<text x="16" y="26" font-size="17" font-weight="bold">"#
        + "Ratio to the reference of the same run, as a part of the goal</text>",
      #"<text x="\#(Self.text(goal))" y="\#(Self.top - 8)" text-anchor="middle">goal</text>"#,
    ]
    for (index, row) in shown.enumerated() {
      lines += Self.bar(row, y: Self.top + index * Self.rowHeight)
    }
    lines.append(
      """
      <line x1="\(Self.text(goal))" x2="\(Self.text(goal))" y1="\(Self.top)" y2="\(bottom)" \
      stroke="#1f2328" stroke-width="2"/>
      """)
    let legend = [
      ("#2da44e", "goal reached"), ("#bf8700", "first bar reached"), ("#cf222e", "below"),
    ]
    for (index, (color, words)) in legend.enumerated() {
      let x = 16 + index * 160
      lines.append(
        #"<rect x="\#(x)" y="\#(height - 24)" width="12" height="12" fill="\#(color)"/>"#
          + #"<text x="\#(x + 18)" y="\#(height - 13)">\#(words)</text>"#)
    }
    lines.append(
      #"<line x1="500" x2="500" y1="\#(height - 26)" y2="\#(height - 10)" stroke="\#(Self.mark)" "#
        + #"stroke-width="3"/><text x="510" y="\#(height - 13)">first bar</text>"#)
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private static func bar(_ row: Row, y: Int) -> [String] {
    guard let ratio = row.ratio, let goal = row.bar.goal, let first = row.bar.first else {
      return []
    }
    let part = min(ratio / goal, mostGoals)
    let color =
      switch row.verdict {
      case "goal": "#2da44e"
      case "first bar": "#bf8700"
      default: "#cf222e"
      }
    let tick = left + goalWidth * first / goal
    let share = row.share.map { ", \(Int(($0 * 100).rounded())) % of the bound" } ?? ""
    let cut = ratio / goal > mostGoals ? " →" : ""
    let reached = String(format: "%.2f", ratio)
    return [
      #"<text x="16" y="\#(y + 21)"><tspan font-weight="bold">\#(escaped(row.name))</tspan> "#
        + "\(escaped(row.what))</text>",
      #"<rect x="\#(text(left))" y="\#(y + 6)" width="\#(text(goalWidth * part))" height="20" "#
        + #"fill="\#(color)" fill-opacity="0.8"/>"#,
      #"<line x1="\#(text(tick))" x2="\#(text(tick))" y1="\#(y + 2)" y2="\#(y + 30)" "#
        + #"stroke="\#(mark)" stroke-width="3"/>"#,
      #"<text x="\#(text(max(left + goalWidth * part, left + goalWidth) + 8))" y="\#(y + 21)">"#
        + "\(cut) \(reached) × \(escaped(row.reference ?? ""))\(share)</text>",
    ]
  }

  private static func text(_ number: Double) -> String { String(format: "%.1f", number) }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}
