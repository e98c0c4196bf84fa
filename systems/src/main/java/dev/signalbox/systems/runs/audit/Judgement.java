package dev.signalbox.systems.runs.audit;

/** How bad it is; the later the worse. */
public enum Judgement {
  /** Nothing was found. */
  CLEARED,
  /** Accept it with notes. */
  CONTAMINATED,
  /** It must not stand. */
  STOP;

  public Judgement or(Judgement other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
