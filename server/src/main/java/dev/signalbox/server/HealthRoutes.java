package dev.signalbox.server;

import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Whether the server lives, and whether it is ready for requests. */
final class HealthRoutes {
  private static final Logger LOG = Logger.getLogger(HealthRoutes.class.getName());

  /** For so long an answer of the store is believed, so that asking often costs nothing. */
  private static final long BELIEVED_MS = 500;

  private final Signalbox box;
  private final Draining draining;
  private final InstantSource clock;
  private long asked = Long.MIN_VALUE;
  private boolean usable;

  HealthRoutes(Signalbox box, Draining draining, InstantSource clock) {
    this.box = box;
    this.draining = draining;
    this.clock = clock;
  }

  List<Route> routes() {
    Schema health =
        Schema.object()
            .field("live", Schema.FLAG)
            .field("ready", Schema.FLAG)
            .field("store", Schema.oneOf("open", "unavailable"))
            .field("caught_up", Schema.FLAG);
    return List.of(
        Route.get("/health", "Whether the server lives and is ready")
            .open()
            .query("probe", Schema.oneOf("live", "ready"), "live answers 200 though not ready")
            .gives(200, "Ready, or alive where that was asked", health)
            .gives(503, "Not ready", health)
            .by(this::health));
  }

  private Response health(Request request) {
    boolean store = isStoreUsable();
    boolean caughtUp = box.isCaughtUp();
    boolean ready = store && caughtUp && !draining.isClosing();
    Response response =
        Response.json(
            Map.of(
                "live",
                true,
                "ready",
                ready,
                "store",
                store ? "open" : "unavailable",
                "caught_up",
                caughtUp));
    return ready || "live".equals(request.query("probe")) ? response : response.status(503);
  }

  private synchronized boolean isStoreUsable() {
    long now = clock.millis();
    if (asked == Long.MIN_VALUE || now - asked > BELIEVED_MS || now < asked) {
      asked = now;
      try {
        // Reading alone would say nothing of a disk that is full or a database that went to
        // standby.
        box.journal().query(Query.ALL.page(0, 1));
        box.journal().checkWritable();
        usable = true;
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "Expected the store to answer, but it does not.", e);
        usable = false;
      }
    }
    return usable;
  }
}
