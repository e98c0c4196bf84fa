package dev.signalbox.server;

import static dev.signalbox.services.system.Schema.ANY;
import static dev.signalbox.services.system.Schema.FLAG;
import static dev.signalbox.services.system.Schema.OBJECT;
import static dev.signalbox.services.system.Schema.TEXT;
import static dev.signalbox.services.system.Schema.WHOLE;
import static dev.signalbox.services.system.Schema.listOf;
import static dev.signalbox.services.system.Schema.mapOf;
import static dev.signalbox.services.system.Schema.named;
import static dev.signalbox.services.system.Schema.object;
import static dev.signalbox.services.system.Schema.oneOf;

import dev.signalbox.services.system.Schema;
import java.util.LinkedHashMap;
import java.util.Map;

/** The things that the API speaks of, as JSON Schemas. */
final class Schemas {
  private Schemas() {}

  static Map<String, Object> all() {
    Map<String, Object> all = new LinkedHashMap<>();
    put(
        all,
        "Problem",
        object()
            .field("type", TEXT)
            .field("title", TEXT)
            .field("status", WHOLE)
            .field("code", TEXT.described("a rejection's code, or one of the API's own"))
            .field("detail", TEXT)
            .maybe("hint", TEXT.described("what to do"))
            .maybe("states", listOf(TEXT))
            .maybe("sequence", WHOLE)
            .maybe("permitted", listOf(named("Permitted")))
            .maybe("guards", listOf(named("Guard")))
            .maybe("problems", listOf(named("DefinitionProblem"))));
    put(
        all,
        "Guard",
        object()
            .field("from", TEXT)
            .field("on", TEXT)
            .field("guard", TEXT)
            .field("answer", oneOf("yes", "no", "failed"))
            .maybe("to", listOf(TEXT))
            .maybe("why", TEXT));
    put(
        all,
        "Permitted",
        object()
            .field("event", TEXT)
            .field("description", TEXT.orNull())
            .field("roles", listOf(TEXT))
            .field("allowed", FLAG.described("whether the caller's roles allow it"))
            .field("schema", OBJECT.orNull().described("of the event's data")));
    put(
        all,
        "Deadline",
        object()
            .field("id", TEXT)
            .field("state", TEXT.orNull())
            .field("event", TEXT)
            .field("due", WHOLE.described("in milliseconds since 1970")));
    put(
        all,
        "Instance",
        object()
            .field("id", TEXT)
            .field("machine", TEXT)
            .field("version", WHOLE)
            .field("parent", TEXT.orNull())
            .field("status", oneOf("live", "paused", "halted", "ended", "erased", "unreadable"))
            .field("states", listOf(TEXT))
            .field("leaves", listOf(TEXT))
            .field("context", OBJECT)
            .field("sequence", WHOLE)
            .field("hash", TEXT)
            .field("refusals", WHOLE)
            .field("since", WHOLE)
            .field("deadlines", listOf(named("Deadline")))
            .field("awaited", listOf(TEXT))
            .field("output", ANY)
            .maybe("permitted", listOf(named("Permitted"))));
    put(
        all,
        "Receipt",
        object()
            .field("instance", TEXT)
            .field("sequence", WHOLE)
            .field("hash", TEXT)
            .field("states", listOf(TEXT))
            .field("ended", FLAG));
    put(
        all,
        "Entry",
        object()
            .field("position", WHOLE)
            .field("hash", TEXT)
            .maybe("instance", TEXT)
            .maybe("sequence", WHOLE)
            .maybe("kind", TEXT)
            .maybe("at", WHOLE)
            .maybe("event", OBJECT)
            .maybe("states", listOf(TEXT))
            .maybe("changes", OBJECT)
            .maybe("microsteps", listOf(OBJECT))
            .maybe("guards", listOf(named("Guard")))
            .maybe("code", TEXT)
            .maybe("message", TEXT));
    put(
        all,
        "StreamedEntry",
        object()
            .field("position", WHOLE)
            .field("machine", TEXT)
            .field("hash", TEXT)
            .field("entry", OBJECT));
    put(
        all,
        "BulkLine",
        object()
            .maybe("instance", TEXT)
            .maybe("event", TEXT)
            .maybe("data", ANY)
            .maybe("expected_sequence", WHOLE)
            .maybe("start", TEXT.described("a machine, instead of instance and event"))
            .maybe("id", TEXT)
            .maybe("input", OBJECT)
            .maybe("key", TEXT));
    put(
        all,
        "BulkAnswer",
        object()
            .field("line", WHOLE)
            .maybe("instance", TEXT)
            .maybe("sequence", WHOLE)
            .maybe("hash", TEXT)
            .maybe("states", listOf(TEXT))
            .maybe("ended", FLAG)
            .maybe(
                "problem",
                object()
                    .field("status", WHOLE)
                    .field("code", TEXT)
                    .field("detail", TEXT)
                    .field("hint", TEXT)));
    machines(all);
    access(all);
    ServiceSchemas.addTo(all);
    return all;
  }

  private static void machines(Map<String, Object> all) {
    put(
        all,
        "Machine",
        object()
            .field("name", TEXT)
            .field("version", WHOLE)
            .field("description", TEXT.orNull())
            .field("digest", TEXT)
            .field("published_at", WHOLE)
            .field("states", listOf(TEXT))
            .field("transitions", WHOLE)
            .maybe("live", WHOLE)
            .field(
                "paused",
                object()
                    .field("by", TEXT)
                    .field("clocks", oneOf("stopped", "running"))
                    .field("since", WHOLE)
                    .orNull())
            .maybe("events", listOf(OBJECT))
            .maybe("context", listOf(OBJECT))
            .maybe("invariants", listOf(TEXT))
            .maybe("counts", mapOf(WHOLE)));
    put(
        all,
        "DefinitionProblem",
        object()
            .field("code", TEXT)
            .field("severity", oneOf("error", "warning"))
            .field("line", WHOLE)
            .field("column", WHOLE)
            .field("message", TEXT)
            .field("hint", TEXT));
    put(
        all,
        "Check",
        object()
            .field("machine", TEXT.orNull())
            .field("ok", FLAG)
            .field("states", WHOLE)
            .field("transitions", WHOLE)
            .field("explored", WHOLE.described("abstract states that the model checker visited"))
            .field("complete", FLAG.described("whether that is everything it can do"))
            .field("problems", listOf(named("DefinitionProblem")))
            .field(
                "invariants",
                listOf(
                    object()
                        .field("name", TEXT)
                        .field("claim", TEXT.described("what it says, as the definition does"))
                        .field("verdict", oneOf("proved", "refuted", "undecided"))
                        .maybe("why", TEXT)
                        .maybe("events", listOf(OBJECT).described("that break it")))));
    put(
        all,
        "Difference",
        object()
            .field("from", WHOLE)
            .field("to", WHOLE)
            .field("states", OBJECT)
            .field("transitions", OBJECT)
            .field("events", OBJECT)
            .field("context", OBJECT)
            .field("invariants", OBJECT));
    put(
        all,
        "Migration",
        object()
            .field("clean", mapOf(WHOLE))
            .field("stranded", listOf(OBJECT))
            .field("more", WHOLE));
    put(
        all,
        "Verification",
        object()
            .field("state", oneOf("never", "running", "done", "failed", "cancelled"))
            .field("by", TEXT.orNull())
            .field("began_at", WHOLE.orNull())
            .field("groups_read", WHOLE.described("how far it is, or was"))
            .field("reason", TEXT.orNull().described("why it failed or was cancelled"))
            .maybe("sound", FLAG.described("this and what follows, once it is done"))
            .maybe("entries", WHOLE)
            .maybe("instances", WHOLE)
            .maybe("groups", WHOLE)
            .maybe("sealed", WHOLE)
            .maybe("erased", WHOLE)
            .maybe("archived", WHOLE)
            .maybe("missing_archives", listOf(TEXT))
            .maybe("signed", TEXT)
            .maybe("signers", listOf(OBJECT))
            .maybe("unsigned_groups", WHOLE)
            .maybe("unsigned_entries", WHOLE)
            .maybe("findings", listOf(OBJECT))
            .maybe("more", WHOLE));
  }

  private static Schema session() {
    return object()
        .field("name", TEXT)
        .field("kind", oneOf("user", "agent"))
        .field("roles", listOf(TEXT))
        .field("machines", listOf(TEXT))
        .field("instance", TEXT.orNull())
        .field("person", TEXT.orNull().described("the person whose name or account it is"))
        .field("passphrase_needed", FLAG.described("whether deciding takes the passphrase first"));
  }

  private static void access(Map<String, Object> all) {
    put(
        all,
        "Approval",
        object()
            .field("id", TEXT)
            .field("state", TEXT)
            .field("subject", TEXT)
            .field("action", TEXT)
            .field("arguments", ANY.described("exactly what is to be done"))
            .field("digest", TEXT.described("what an approver must name"))
            .field("risk", TEXT)
            .field("chain", listOf(OBJECT).described("who asked whom, the person first"))
            .field("quorum", WHOLE)
            .field("roles", listOf(TEXT))
            .field("approvers", listOf(TEXT))
            .field("expires_at", TEXT)
            .field("outcome", TEXT.orNull())
            .field("allowed", FLAG.described("whether the caller may say yes to it"))
            .field(
                "objection",
                OBJECT.orNull().described("why the caller may not: a code and a message"))
            .field(
                "passphrase_needed",
                FLAG.described("whether the caller has to say the passphrase first"))
            .field("self", FLAG.described("whether a sole person decided on their own")));
    put(
        all,
        "Person",
        object()
            .field("id", TEXT)
            .field("name", TEXT)
            .field("roles", listOf(TEXT))
            .field("accounts", listOf(TEXT).described("other names under which they act"))
            .field("self_approval", oneOf("refused", "allowed"))
            .field("enrolled_by", TEXT)
            .field("state", TEXT));
    put(all, "Session", session());
    put(
        all,
        "OpenedSession",
        session().field("csrf_token", TEXT.described("told this once, to the page that signs in")));
    put(
        all,
        "Token",
        object()
            .field("id", TEXT)
            .field("name", TEXT)
            .field("roles", listOf(TEXT))
            .field("machines", listOf(TEXT))
            .field("instance", TEXT.orNull())
            .field("expires_at", WHOLE)
            .field("state", oneOf("ACTIVE", "EXPIRED", "REVOKED")));
    put(
        all,
        "Task",
        object()
            .field("id", TEXT)
            .field("kind", TEXT)
            .field("owner", TEXT)
            .field("priority", TEXT)
            .field("state", TEXT)
            .field("outcome", TEXT)
            .field("worker", TEXT)
            .field("fence", WHOLE)
            .field("executions", WHOLE)
            .field("retries", WHOLE)
            .field("since", WHOLE));
    put(
        all,
        "Worker",
        object()
            .field("id", TEXT)
            .field("name", TEXT)
            .field("pool", TEXT)
            .field("state", TEXT)
            .field("kinds", listOf(TEXT))
            .field("tasks", listOf(TEXT))
            .field("last_heartbeat", WHOLE)
            .field("since", WHOLE));
    put(
        all,
        "Lock",
        object()
            .field("name", TEXT)
            .field("state", TEXT)
            .field("holder", TEXT)
            .field("token", WHOLE)
            .field("until", WHOLE)
            .field("queue", listOf(TEXT)));
    put(
        all,
        "AuditLine",
        object()
            .field("number", WHOLE)
            .field("at", WHOLE)
            .field("kind", TEXT)
            .field("who", TEXT)
            .field("from", TEXT)
            .field("method", TEXT)
            .field("path", TEXT)
            .field("status", WHOLE)
            .field("code", TEXT)
            .maybe("omitted", WHOLE.described("how many like it were left out before it")));
  }

  static void put(Map<String, Object> all, String name, Schema schema) {
    all.put(name, schema.value());
  }
}
