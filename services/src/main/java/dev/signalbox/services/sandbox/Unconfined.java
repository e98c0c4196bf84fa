package dev.signalbox.services.sandbox;

import java.util.Map;

/**
 * No sandbox: processes reach what this program reaches, but for its environment. Whoever lets
 * something run in it has decided that.
 *
 * @param why there is no other
 */
public record Unconfined(String why) implements Sandbox {
  /** Somebody has decided that none is wanted. */
  public static final Unconfined WANTED = new Unconfined("none is wanted");

  @Override
  public String name() {
    return "none";
  }

  @Override
  public boolean isConfining() {
    return false;
  }

  @Override
  public ProcessBuilder prepared(Errand errand) {
    ProcessBuilder builder =
        new ProcessBuilder(errand.command()).directory(errand.reach().shown().toFile());
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.putAll(errand.given());
    environment.putAll(errand.chosen());
    return builder;
  }
}
