package dev.signalbox.journal;

/** The two chains of an instance. */
public enum Chain {
  /** What happened to the instance. */
  STEPS(0),
  /** What it was asked and refused; the instance did not change by it. */
  REFUSALS(1);

  private final int code;

  Chain(int code) {
    this.code = code;
  }

  /** The chain as the stores write it. */
  public int code() {
    return code;
  }

  public static Chain of(int code) {
    return code == 0 ? STEPS : REFUSALS;
  }
}
