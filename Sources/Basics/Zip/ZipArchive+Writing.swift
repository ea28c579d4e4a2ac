extension ZipArchive {
  /// A zip archive of files, each compressed and by its path. The same files give the same archive.
  ///
  /// - Parameter files: Fewer than 65,535, of less than 4 GiB together: more takes ZIP64.
  public static func archive(_ files: [(path: String, bytes: [UInt8])]) -> [UInt8] {
    var output: [UInt8] = []
    var directory: [UInt8] = []
    for (path, contents) in files {
      let data = compressed(contents, .raw)
      var entry: [UInt8] = []
      // The path is in UTF-8, the method "deflated", the time the first that there is.
      for number in [1 << 11, 8, 0, 1 << 5 | 1] { entry.append(number, bytes: 2) }
      entry.append(Int(Deflate.checksum(contents)), bytes: 4)
      entry.append(data.count, bytes: 4)
      entry.append(contents.count, bytes: 4)
      entry.append(path.utf8.count, bytes: 2)

      directory.append(0x0201_4B50, bytes: 4)
      for version in [20, 20] { directory.append(version, bytes: 2) }
      directory += entry
      // No further fields, no comment, the first part of the archive, no attributes.
      directory.append(0, bytes: 12)
      directory.append(output.count, bytes: 4)
      directory += path.utf8

      output.append(0x0403_4B50, bytes: 4)
      output.append(20, bytes: 2)
      output += entry
      output.append(0, bytes: 2)
      output += path.utf8
      output += data
    }
    let start = output.count
    output += directory
    output.append(0x0605_4B50, bytes: 4)
    for number in [0, 0, files.count, files.count] { output.append(number, bytes: 2) }
    for number in [directory.count, start] { output.append(number, bytes: 4) }
    output.append(0, bytes: 2)
    return output
  }
}

extension [UInt8] {
  /// Appends a number in so many bytes, the least significant first.
  fileprivate mutating func append(_ number: Int, bytes count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
  }
}
