package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.services.retention.Archives;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes over what has left the store. */
public final class ArchiveRoutes {
  private static final long DAYS = 30;
  private static final long LONGEST = 36_500;

  private final @Nullable Archives archives;

  /**
   * @param archives null where the server has no folder to keep them in
   */
  public ArchiveRoutes(@Nullable Archives archives) {
    this.archives = archives;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/archives", "The archives that are there, the oldest first")
            .may(OPERATOR, ADMIN)
            .gives(
                Schema.object()
                    .field(
                        "archives",
                        Schema.listOf(
                            Schema.object()
                                .field("file", Schema.TEXT)
                                .field("bytes", Schema.WHOLE))))
            .by(this::list),
        Route.post(
                "/archives",
                "Take what ended long ago out of the store, into a file that verifies by itself")
            .may(ADMIN)
            .takes(
                Schema.object()
                    .maybe("older_than_days", Schema.WHOLE.described("30 if not said"))
                    .maybe("most", Schema.WHOLE.described("about how many; 10000 if not said")))
            .gives(
                Schema.object()
                    .field("file", Schema.TEXT.orNull().described("null when there was nothing"))
                    .field("sha256", Schema.TEXT.orNull())
                    .field("instances", Schema.WHOLE)
                    .field(
                        "kept",
                        Schema.WHOLE.described("in the file and the store: something is pending")))
            .by(this::write),
        Route.get("/archives/{file}", "An archive, as JSON lines that a stranger can verify")
            .may(ADMIN)
            .gives(200, "The archive", "application/x-ndjson", Schema.TEXT)
            .by(this::read));
  }

  private Archives archives() {
    if (archives == null) {
      throw ProblemException.of(
          409,
          "no-signing-key",
          "Expected a folder for archives, but the server has no data folder.",
          "Start it with --data.");
    }
    return archives;
  }

  private Response list(Request request) throws IOException {
    Replies.checkUnrestricted(request);
    return Response.json(
        Map.of(
            "archives",
            archives().list().stream()
                .map(kept -> Map.of("file", kept.name(), "bytes", kept.bytes()))
                .toList()));
  }

  private Response write(Request request) throws IOException {
    Replies.checkUnrestricted(request);
    Fields body = request.fields().only("older_than_days", "most");
    Archives.Written written =
        archives()
            .write(
                Duration.ofDays(number(body, "older_than_days", DAYS, 0, LONGEST)),
                (int) number(body, "most", Archives.MOST, 1, Integer.MAX_VALUE),
                request.caller().actor());
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("file", written == null ? null : written.file().getFileName().toString());
    view.put("sha256", written == null ? null : written.sha256());
    view.put("instances", written == null ? 0L : written.instances());
    view.put("kept", written == null ? 0L : written.kept());
    return Response.json(view);
  }

  private static long number(Fields body, String name, long otherwise, long least, long most) {
    Long given = body.numberOrNull(name);
    if (given != null && (given < least || given > most)) {
      throw ProblemException.badRequest(
          "Expected '%s' from %d to %d, but found %d.".formatted(name, least, most, given));
    }
    return given == null ? otherwise : given;
  }

  private Response read(Request request) {
    Replies.checkUnrestricted(request);
    Path file = archives().find(request.path("file"));
    if (file == null) {
      throw ProblemException.of(
          404,
          "not-found",
          "Expected an archive of that name, but there is none.",
          "GET /api/v1/archives lists them.");
    }
    return Response.flow("application/x-ndjson", out -> Files.copy(file, out))
        .with("Content-Disposition", "attachment; filename=\"%s\"".formatted(file.getFileName()));
  }
}
