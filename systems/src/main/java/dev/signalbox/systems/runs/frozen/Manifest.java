package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import java.util.List;

/**
 * What a frozen plan consists of and where it comes from, as far as its text could be read.
 *
 * @param runId of the coordinator's run that made it
 * @param pins what of the registry it was made with
 */
public record Manifest(
    String runId, String intentId, String intentSha256, List<Pin> pins, List<Listed> files) {

  /** What a run gets of a text that could not be read. */
  static final Manifest NONE = new Manifest("", "", "", List.of(), List.of());

  /**
   * A version of something of the registry.
   *
   * @param kind workflow, agent, command or rule
   */
  public record Pin(String kind, String id, String version) {}

  /** A file, relative to the folder. */
  public record Listed(String path, String sha256, Place place) {}

  public Manifest {
    pins = List.copyOf(pins);
    files = List.copyOf(files);
  }

  /** Whether something of the registry is among what the plan was made with. */
  boolean pins(String kind, String id) {
    return pins.stream().anyMatch(pin -> pin.kind().equals(kind) && pin.id().equals(id));
  }
}
