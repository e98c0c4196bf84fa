package dev.signalbox.server;

import static dev.signalbox.server.Schemas.put;
import static dev.signalbox.services.system.Schema.ANY;
import static dev.signalbox.services.system.Schema.FLAG;
import static dev.signalbox.services.system.Schema.OBJECT;
import static dev.signalbox.services.system.Schema.TEXT;
import static dev.signalbox.services.system.Schema.WHOLE;
import static dev.signalbox.services.system.Schema.listOf;
import static dev.signalbox.services.system.Schema.mapOf;
import static dev.signalbox.services.system.Schema.object;
import static dev.signalbox.services.system.Schema.oneOf;

import dev.signalbox.services.system.Schema;
import java.util.Map;

/** What the API says of the services, as JSON Schemas. */
final class ServiceSchemas {
  private ServiceSchemas() {}

  static void addTo(Map<String, Object> all) {
    put(
        all,
        "Alert",
        object()
            .field("rule", TEXT)
            .field("severity", TEXT)
            .field("metric", TEXT)
            .field("labels", mapOf(TEXT))
            .field("above", FLAG.described("whether more than the threshold is trouble, or less"))
            .field("threshold", Schema.of("number"))
            .field("clear", Schema.of("number"))
            .field("for_ms", WHOLE)
            .field("value", Schema.of("number"))
            .field("state", oneOf("quiet", "pending", "firing"))
            .field("since", WHOLE.orNull())
            .field("instance", TEXT));
    put(
        all,
        "Sweep",
        object()
            .field("scanned", WHOLE)
            .field("dry_run", FLAG)
            .field("corrected", WHOLE)
            .field("counts", mapOf(WHOLE).described("findings by their kind"))
            .field("more", WHOLE.described("findings that are not listed"))
            .field(
                "findings",
                listOf(
                    object()
                        .field("kind", TEXT)
                        .field("instance", TEXT)
                        .field("machine", TEXT)
                        .field("states", listOf(TEXT))
                        .field("reason", TEXT)
                        .field("correction", TEXT)
                        .field("corrected", FLAG)
                        .field("note", TEXT))));
    put(
        all,
        "Erasure",
        object()
            .field("erased", listOf(TEXT))
            .field("clear", listOf(TEXT).described("that had nothing personal"))
            .field("forks", listOf(TEXT).described("that began from it and have copies")));
    put(
        all,
        "Budget",
        object()
            .field("id", TEXT)
            .field("subject", TEXT)
            .field("status", TEXT)
            .field(
                "lines",
                listOf(
                    object()
                        .field("account", TEXT)
                        .field("unit", TEXT)
                        .field("limit", WHOLE)
                        .field("used", WHOLE)
                        .field("reserved", WHOLE)
                        .field("over", WHOLE)
                        .field("left", WHOLE)
                        .field("exhausted", FLAG))));
    put(
        all,
        "Grant",
        object()
            .field("granted", FLAG)
            .field("reason", TEXT.orNull().described("exhausted, not_possible or not_now"))
            .field("message", TEXT));
    put(
        all,
        "Notification",
        object()
            .field("id", TEXT.described("the same wherever it is told"))
            .field("audience", oneOf("user", "system", "audit"))
            .field("rule", TEXT)
            .field("type", TEXT)
            .field("instance", TEXT)
            .field("machine", TEXT)
            .field("sequence", WHOLE)
            .field("at", WHOLE)
            .field("text", TEXT)
            .field("data", OBJECT));
    put(
        all,
        "Subscription",
        object()
            .field("name", TEXT)
            .field("state", TEXT)
            .field("channel", oneOf("webhook", "log"))
            .field("audiences", listOf(TEXT))
            .field("rules", listOf(TEXT))
            .field("url", TEXT)
            .field("secret", TEXT.described("its name, never itself"))
            .maybe(
                "signing_secret",
                TEXT.described("itself, only in the answer that made it for a webhook without one"))
            .field("attempts", WHOLE)
            .field("reason", TEXT)
            .field("instance", TEXT));
    put(
        all,
        "DeadLetter",
        object()
            .field("id", TEXT)
            .field("subscription", TEXT)
            .field("notification", TEXT)
            .field("attempts", WHOLE)
            .field("reason", TEXT)
            .field("since", WHOLE)
            .field("content", ANY));
  }
}
