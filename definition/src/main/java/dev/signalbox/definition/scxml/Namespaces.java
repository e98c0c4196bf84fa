package dev.signalbox.definition.scxml;

/** The two namespaces of a machine in XML. */
final class Namespaces {
  static final String SCXML = "http://www.w3.org/2005/07/scxml";

  /** What SCXML has no word for. */
  static final String SIGNALBOX = "https://signalbox.dev/ns/machine";

  private Namespaces() {}
}
