package dev.signalbox.journal;

/** The two chains of an instance. */
public enum Chain {
  /** What happened to the instance. */
  STEPS,
  /** What it was asked and refused; the instance did not change by it. */
  REFUSALS
}
