package dev.signalbox.cli;

import dev.signalbox.journal.Query;
import dev.signalbox.services.lock.Lock;
import dev.signalbox.services.lock.Locks;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox locks}: who has what. */
@Command(
    name = "locks",
    mixinStandardHelpOptions = true,
    description = "List locks that somebody has or waits for; release or break one.",
    subcommands = LocksCommand.Release.class)
@SuppressWarnings("NullAway.Init")
final class LocksCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;
  @Mixin private Listing listing;

  @Option(names = "--holder", paramLabel = "NAME", description = "Held by that name")
  private @Nullable String holder;

  @Option(names = "--all", description = "Also those that are free")
  private boolean all;

  @Override
  public Integer call() {
    Query query = holder == null ? Query.ALL : Query.ALL.with(Map.of("holder", holder));
    return listing.print(
        spec,
        store,
        query.ofMachine("lock"),
        Lock::of,
        lock -> all || !lock.state().equals("AVAILABLE"),
        LocksCommand::line,
        LocksCommand::text);
  }

  private static String text(Lock lock) {
    return "%-24s %-10s %-16s token %d%s%s"
        .formatted(
            lock.name(),
            lock.state(),
            lock.holder().isEmpty() ? lock.reservedFor() : lock.holder(),
            lock.token(),
            lock.until() == 0 ? "" : " until " + Instant.ofEpochMilli(lock.until()),
            lock.queue().isEmpty() ? "" : "; waiting: " + String.join(", ", lock.queue()));
  }

  private static Map<String, @Nullable Object> line(Lock lock) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("name", lock.name());
    line.put("state", lock.state());
    line.put("holder", lock.holder());
    line.put("reserved_for", lock.reservedFor());
    line.put("token", lock.token());
    line.put("until", lock.until());
    line.put("queue", lock.queue());
    return line;
  }

  /** {@code signalbox locks release}: gives a lock back, or breaks it. */
  @Command(
      name = "release",
      mixinStandardHelpOptions = true,
      description = "Give a lock back with its token; or break it, which is for operators.")
  @SuppressWarnings("NullAway.Init")
  static final class Release implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "NAME", description = "The lock")
    private String name;

    @ArgGroup(multiplicity = "1")
    private How how;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        defaultValue = "broken from the command line",
        description = "Why it is broken (default: ${DEFAULT-VALUE})")
    private String reason;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    /** One of the two. */
    static final class How {
      @Option(names = "--force", required = true, description = "Break it")
      boolean force;

      @Option(names = "--token", required = true, paramLabel = "N", description = "Its token")
      long token;
    }

    @Override
    public Integer call() {
      return StoreOptions.tell(
          how.force
              ? store.ask(
                  "/locks/" + Remote.encoded(name) + "/break",
                  Map.of("reason", reason),
                  box -> Locks.stepped(box).breakOpen(name, reason, store.actor()).join())
              : store.ask(
                  "/locks/" + Remote.encoded(name) + "/release",
                  Map.of("token", how.token),
                  box ->
                      box.carryOutForCaller(
                          "lock",
                          new dev.signalbox.runtime.Command.Send(
                              Locks.id(name),
                              "release",
                              Map.of("token", how.token),
                              store.actor(),
                              null,
                              null))),
          json,
          spec.commandLine().getOut());
    }
  }
}
