internal import CLinux

/// The process's memory.
public enum SystemMemory {
  /// Gives what was freed back to the system: the allocator keeps it otherwise, which after large
  /// uploads is a gigabyte that nobody needs. Takes milliseconds; not for a loop.
  public static func trim() { postilion_trim_memory() }
}
