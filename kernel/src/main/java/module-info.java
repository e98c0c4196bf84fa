import org.jspecify.annotations.NullMarked;

/** What a machine means: pure functions over records, without clock, randomness, I/O or threads. */
@NullMarked
module dev.signalbox.kernel {
  requires static transitive org.jspecify;

  exports dev.signalbox.kernel;
  exports dev.signalbox.kernel.machine;
}
