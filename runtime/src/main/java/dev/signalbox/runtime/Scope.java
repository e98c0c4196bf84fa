package dev.signalbox.runtime;

/** Several instances that something is done to, one after the other. */
public sealed interface Scope {

  /** An instance and everything below it. */
  record Tree(String instance) implements Scope {}

  /** Every instance of a machine, whatever its version. */
  record OfMachine(String machine) implements Scope {}
}
