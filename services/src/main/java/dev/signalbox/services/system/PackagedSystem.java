package dev.signalbox.services.system;

import dev.signalbox.runtime.Signalbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A system as the server takes it in: machines, the handlers of their effects, routes and pages.
 */
public interface PackagedSystem extends AutoCloseable {

  /**
   * In kebab-case; its routes are below {@code /api/v1/NAME} and its modules below {@code /NAME}.
   */
  String name();

  /** As people read it. */
  String title();

  /** Publishes its machines; called once, at the start. */
  void publish(Signalbox box);

  /** The names of its machines, in the order in which a page shows them. */
  List<String> machines();

  /** Lets the system do the effects of its machines; called once, after they are published. */
  default void attach(Signalbox box) {}

  /** Ends what {@link #attach} began besides the handlers; the store is still open. */
  @Override
  default void close() {}

  /** Routes of its own; each path is {@code /NAME} or begins with {@code /NAME/}. */
  default List<Route> routes(Signalbox box) {
    return List.of();
  }

  /**
   * The folder of its ES modules on the class path, as seen from its class, or null when it has no
   * page. The module {@code page.js} in it is what the page loads; it has the system's elements.
   */
  default @Nullable String folder() {
    return null;
  }
}
