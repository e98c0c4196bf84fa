package dev.signalbox.bench.peers;

/** A library that keeps runs. */
interface Peer {
  /**
   * Takes a run from its start to COMPLETE, each event sent when the library has answered for the
   * one before. The start and the transitions are counted where the library takes them.
   */
  void live(String id) throws Exception;

  /** Checks how a run ended. */
  static void complete(String id, Object end) {
    if (!end.equals(Phase.COMPLETE.name())) {
      throw new IllegalStateException("Expected '%s' to end COMPLETE, but %s.".formatted(id, end));
    }
  }
}
