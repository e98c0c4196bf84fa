package dev.signalbox.definition.expression;

/** A value that is not known, as the model checker meets it. */
public enum Unknown {
  /** Stands for any value, and in a slot of the context also for none. */
  VALUE;

  @Override
  public String toString() {
    return "(unknown)";
  }
}
