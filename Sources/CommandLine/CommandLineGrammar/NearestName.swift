/// The name that takes the fewest insertions, deletions and exchanges of characters (Levenshtein's
/// distance), the first of several: for someone who misspelt one. Empty when there are no names.
public func nearestName(to name: String, among names: [String]) -> String {
  names.min { editDistance($0, name) < editDistance($1, name) } ?? ""
}

/// The fewest insertions, deletions and exchanges of characters that make one text of the other:
/// 0 for the same, 2 for `LOOP` and `LOGS`.
public func editDistance(_ first: String, _ second: String) -> Int {
  let second = Array(second)
  // The distances of the part of `first` so far to each beginning of `second`.
  var row = Array(0...second.count)
  for (index, character) in first.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for (position, other) in second.enumerated() {
      let exchanged = diagonal + (character == other ? 0 : 1)
      diagonal = row[position + 1]
      row[position + 1] = min(exchanged, diagonal + 1, row[position] + 1)
    }
  }
  return row[second.count]
}
