package dev.signalbox.systems.runs;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.MachineDoor;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.systems.SystemMachines;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs, finds them, and lets people stop them. Who does their work is {@link RunsSystem}.
 * Any thread may use it.
 */
public final class Runs {
  /** The machine of a run. */
  public static final String MACHINE = "runs.run";

  private static final int FIRST = 1;

  /** How many seconds ahead an id may be of the clock when every second before is taken. */
  private static final int AHEAD = 3_600;

  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Host host;
  private final Policy policy;
  private final MachineDoor door;

  private Runs(Host host, Policy policy) {
    this.host = host;
    this.policy = policy;
    this.door = SystemMachines.door(host, MACHINE);
  }

  /** The runs of a store; their machine is published there when it is not yet. */
  public static Runs on(Host host) {
    return on(host, Policy.STANDARD);
  }

  /**
   * The runs of a store under a policy.
   *
   * @param policy the same that {@link RunsSystem} has, or every run halts
   */
  public static Runs on(Host host, Policy policy) {
    return new Runs(host, policy);
  }

  /**
   * Starts a run. Its id is {@code RUN-PROJECT-YYYYMMDD-HHMMSS}, in UTC; where another run has the
   * second, it is the next one that is free.
   *
   * @return the id
   * @throws RejectedException when it is refused
   */
  public String start(Plan plan, Actor by) {
    Map<String, Object> input = input(plan, by);
    Instant second = host.clock().instant().truncatedTo(ChronoUnit.SECONDS);
    for (int ahead = 0; ; ahead++) {
      String id = "RUN-" + plan.project() + "-" + SECOND.format(second.plusSeconds(ahead));
      input.put("run_id", id);
      Reply reply = door.submit(new Command.Start(door.machine(), id, input, by, null));
      switch (reply) {
        case Reply.Accepted _ -> {
          return id;
        }
        case Reply.Rejected(Rejection rejection) -> {
          if (rejection.code() != Rejection.Code.INSTANCE_EXISTS || ahead == AHEAD) {
            throw new RejectedException(rejection);
          }
        }
      }
    }
  }

  private Map<String, Object> input(Plan plan, Actor by) {
    Map<String, Object> frozen = plan.frozen(policy);
    Map<String, Object> input = new LinkedHashMap<>();
    input.put("project_id", plan.project());
    input.put("environment", plan.environment());
    input.put(
        "requested_by",
        Map.of("kind", by.kind().name().toLowerCase(Locale.ROOT), "name", by.name()));
    input.put("plan", frozen);
    input.put("plan_digest", Plan.digest(frozen));
    input.put("limits", plan.limits().fields());
    return input;
  }

  /**
   * The run as it stands.
   *
   * @throws RejectedException when there is none
   */
  public Instance run(String id) {
    Instance run = door.find(id);
    if (run == null) {
      throw new RejectedException(door.unknown(id));
    }
    return run;
  }

  /** The run as it stands, or null. */
  public @Nullable Instance find(String id) {
    return door.find(id);
  }

  /**
   * Runs, the oldest first.
   *
   * @param project only that one's; null for all
   * @param state only those in that state; null for all
   * @param after the number of the last one the caller has; 0 for the beginning
   */
  public List<Instance> list(
      @Nullable String project, @Nullable String state, boolean live, long after, int most) {
    Query query = Query.ALL.ofMachine(MACHINE).page(after, most);
    if (project != null) {
      query = query.with(Map.of("project_id", project));
    }
    if (state != null) {
      query = query.in(state);
    }
    return host.instances(live ? query.that(InstanceRow.Status.LIVE) : query);
  }

  /** Everything that happened in a run, for people and programs. */
  public RunStory story(String id) {
    return RunStory.of(host, run(id));
  }

  /**
   * Stops a run, in the way that its state has for it: while it plans or executes it halts at once
   * and rolls nothing back; a request that waits is escalated, which halts it too; checks and
   * audits fail, which rolls it back.
   *
   * @param reason is written down
   */
  public Reply halt(String id, Actor by, String reason) {
    Instance run = run(id);
    String told = "halted by %s: %s".formatted(by.name(), reason);
    Map<String, Object> data = Map.of("reason", told);
    return run.version() == FIRST ? haltFirst(run, by, data) : send(id, "halt", data, by);
  }

  /**
   * Stops a run of the first version, which has no event for that: in some of its states only the
   * program may, and who wanted it is in the reason alone.
   */
  private Reply haltFirst(Instance run, Actor by, Map<String, Object> data) {
    String id = run.id();
    List<String> states = run.states();
    if (states.contains("PLANNING")) {
      return send(id, "critical_risk", data, by);
    }
    if (states.contains("VERIFYING")) {
      return send(id, "tests_failed", data, Actor.SYSTEM);
    }
    if (states.contains("AUDITING")) {
      return send(id, "audit_failed", data, Actor.SYSTEM);
    }
    if (states.contains("AWAITING_APPROVAL")) {
      return send(id, "escalated", data, Actor.SYSTEM);
    }
    return send(id, "critical_failure", data, by);
  }

  /** Lets a run that was paused, or that stands still after a refused timer, go on. */
  public Reply resume(String id, Actor by) {
    run(id);
    return door.submit(new Command.Resume(id, by, null));
  }

  private Reply send(String id, String event, Map<String, Object> data, Actor by) {
    return door.send(new Command.Send(id, event, data, by, null, null));
  }

  /** The approvals of the store. */
  Approvals approvals() {
    return Approvals.on(host);
  }

  /** The final or current state of the nine that a run can be in. */
  public static String state(Instance run) {
    return run.states().stream().filter(STATES::contains).findFirst().orElse("");
  }

  /** The states of a run, in the order of the document. */
  public static final List<String> STATES =
      List.of(
          "INIT",
          "PLANNING",
          "EXECUTING",
          "AWAITING_APPROVAL",
          "VERIFYING",
          "AUDITING",
          "COMPLETE",
          "ROLLED_BACK",
          "HALTED_UNSAFE");
}
