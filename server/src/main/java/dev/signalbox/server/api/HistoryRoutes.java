package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Erasure;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Routes over what happened: history, refusals, migrations as they would be, proof. */
public final class HistoryRoutes implements AutoCloseable {
  private static final int MOST = 1_000;

  private final Signalbox box;
  private final Catalog catalog;

  /** What is verified sooner is told at once. */
  private static final Duration MOMENT = Duration.ofSeconds(2);

  private final VerifyJob verifying;

  /** Exporting reads the whole journal, so one does it at a time. */
  private final Semaphore whole = new Semaphore(1);

  public HistoryRoutes(Signalbox box, Catalog catalog, InstantSource clock) {
    this.verifying = new VerifyJob(box, clock);
    this.box = box;
    this.catalog = catalog;
  }

  public List<Route> routes() {
    Schema entries =
        Schema.object()
            .field("entries", Schema.listOf(Schema.named("Entry")))
            .field("next", Schema.WHOLE.orNull());
    return List.of(
        Route.get("/instances/{id}/history", "What happened to it, with every guard's answer")
            .anyone()
            .query("from", Schema.WHOLE, "the first entry's number; 1 if not said")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(entries)
            .by(r -> page(r, false)),
        Route.get("/instances/{id}/refusals", "What it was asked and refused")
            .anyone()
            .query("from", Schema.WHOLE, "the first refusal's number; 1 if not said")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(entries)
            .by(r -> page(r, true)),
        Route.post(
                "/machines/{name}/migration", "Whom another version would strand; changes nothing")
            .changingNothing()
            .may(ADMIN, OPERATOR)
            .takes(
                Schema.object()
                    .field("to", Schema.WHOLE)
                    .maybe("states", Schema.mapOf(Schema.TEXT)))
            .gives(Schema.named("Migration"))
            .by(this::stranded),
        Route.post(
                "/instances/{id}/erase",
                "Destroy the keys of its personal data, and of everything below it, for ever")
            .may(ADMIN)
            .gives(Schema.named("Erasure"))
            .by(this::erase),
        Route.get("/verify", "The check of the journal that is under way, or the last one")
            .may(ADMIN, OPERATOR)
            .gives(Schema.named("Verification"))
            .by(r -> {
              Replies.checkUnrestricted(r);
              return Response.json(verifying.view());
            }),
        Route.post(
                "/verify",
                "Check every hash and chain, and replay every entry; one at a time, and whoever"
                    + " asks meanwhile is told of that one")
            .may(ADMIN, OPERATOR)
            .gives(200, "It is over", Schema.named("Verification"))
            .gives(202, "It is under way; GET tells how far it is", Schema.named("Verification"))
            .by(this::verify),
        Route.post("/verify/cancel", "End the check that is under way")
            .may(ADMIN, OPERATOR)
            .gives(Schema.named("Verification"))
            .by(r -> {
              Replies.checkUnrestricted(r);
              verifying.cancel();
              verifying.await(MOMENT);
              return Response.json(verifying.view());
            }),
        Route.get("/export", "The journal as JSON lines that a stranger can verify")
            .may(ADMIN)
            .gives(200, "The journal", "application/x-ndjson", Schema.TEXT)
            .by(this::export));
  }

  /** Ends the check that is under way. */
  @Override
  public void close() {
    verifying.close();
  }

  private Response page(Request request, boolean refusals) {
    String id = InstanceRoutes.visible(box, request.path("id"), request.caller()).id();
    long from = request.number("from", 1, 1, Long.MAX_VALUE);
    int most = (int) request.number("most", 100, 1, MOST);
    List<EntryRow> entries = refusals ? box.refusals(id, from, most) : box.history(id, from, most);
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("entries", entries.stream().map(Views::entry).toList());
    view.put("next", entries.size() < most ? null : entries.getLast().sequence() + 1);
    return Response.json(view);
  }

  private Response stranded(Request request) throws IOException {
    Fields body = request.fields().only("to", "states");
    Long to = body.numberOrNull("to");
    if (to == null || to < 1 || to > Integer.MAX_VALUE) {
      throw ProblemException.badRequest("Expected the version in 'to', but it is missing.");
    }
    String name = catalog.find(request.path("name"), request.caller()).published().name();
    MigrationReport report = box.stranded(name, to.intValue(), body.textMap("states"));
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("clean", report.clean());
    view.put(
        "stranded",
        report.stranded().stream()
            .map(s ->
                Map.of(
                    "instance", s.instance(),
                    "version", (long) s.version(),
                    "states", s.states(),
                    "why", s.why()))
            .toList());
    view.put("more", report.more());
    view.put("reread", report.reread());
    return Response.json(view);
  }

  private Response erase(Request request) {
    String id = InstanceRoutes.changeable(box, request.path("id"), request.caller()).id();
    Erasure erasure = box.erase(id, request.caller().actor());
    return Response.json(
        Map.of("erased", erasure.erased(), "clear", erasure.clear(), "forks", erasure.forks()));
  }

  private Response verify(Request request) {
    Replies.checkUnrestricted(request);
    verifying.begin(request.caller().name());
    verifying.await(MOMENT);
    return Response.json(verifying.view()).status(verifying.isRunning() ? 202 : 200);
  }

  private Response export(Request request) {
    Replies.checkUnrestricted(request);
    Keyring keyring = box.keyring();
    if (keyring == null) {
      throw ProblemException.of(
          409,
          "no-signing-key",
          "Expected a key to sign with, but the store was opened without keys.",
          "Open it with a keyring.");
    }
    SigningKey key = keyring.signing(box.journal());
    if (!whole.tryAcquire()) {
      throw ProblemException.of(
          429,
          "too-many-requests",
          "Expected to read the whole journal, but someone else does so now.",
          "Wait until it is done.");
    }
    return Response.flow(
            "application/x-ndjson",
            out -> {
              try (BufferedOutputStream buffered = new BufferedOutputStream(out, 1 << 16)) {
                Audit.export(box.journal(), key, buffered, _ -> {});
              } finally {
                whole.release();
              }
            })
        .with("Content-Disposition", "attachment; filename=\"journal.jsonl\"");
  }
}
