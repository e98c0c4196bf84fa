package dev.signalbox.services.tool;

import dev.signalbox.services.sandbox.Reach;
import dev.signalbox.services.sandbox.Sandbox;
import dev.signalbox.services.sandbox.Unconfined;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/**
 * Where the processes of a tool run and what they reach.
 *
 * @param sandbox that starts them
 * @param optional whether they run although the sandbox keeps them from nothing
 * @param reach of a call, made of one that may read the call's folder and nothing else
 */
public record Confinement(Sandbox sandbox, boolean optional, UnaryOperator<Reach> reach) {

  /** The sandbox of this machine; without one nothing is started. */
  public static Confinement of(UnaryOperator<Reach> reach) {
    return new Confinement(Sandbox.here(), false, reach);
  }

  /** No sandbox: whoever takes this one trusts the program with everything that is here. */
  public static Confinement none() {
    return new Confinement(Unconfined.WANTED, true, reach -> reach.writable(true));
  }

  /**
   * What a call's processes reach.
   *
   * @throws IllegalArgumentException when there is no sandbox and there has to be one
   */
  Reach reach(ToolCall call) {
    if (!sandbox.isConfining() && !optional) {
      throw new IllegalArgumentException(
          "Expected a sandbox for tool '%s', but there is none, and nothing ran. %s"
              .formatted(call.name(), sandbox.why()));
    }
    return reach.apply(Reach.reading(call.folder()));
  }

  /** Where what a call's processes left in their folder is found. */
  Path shown(ToolCall call) {
    return reach.apply(Reach.reading(call.folder())).shown();
  }
}
