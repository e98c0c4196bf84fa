package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Reply;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox migrate}: live instances to another version of their machine. */
@Command(
    name = "migrate",
    mixinStandardHelpOptions = true,
    description = {
      "Take the live instances of a machine to another version.",
      "Who has no place there stays as it is and is named. With --dry-run nothing changes."
    })
@SuppressWarnings("NullAway.Init")
final class MigrateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "MACHINE", description = "The machine's name")
  private String machine;

  @Option(names = "--to", paramLabel = "VERSION", required = true, converter = Count.class)
  private int version;

  @Option(names = "--map", paramLabel = "OLD=NEW", description = "A state that has a new name")
  private Map<String, String> states = Map.of();

  @Option(names = "--dry-run", description = "Only tell who would be stranded")
  private boolean dryRun;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Map<String, String> map = states == null ? Map.of() : states;
    return store.at(
        false,
        desk -> {
          MigrationReport report = desk.stranded(machine, version, map);
          long moved = dryRun ? 0 : migrate(desk, map);
          tell(report, moved);
          return report.isClean() ? 0 : 1;
        });
  }

  private long migrate(Desk desk, Map<String, String> map) {
    long moved = 0;
    for (InstanceRow.Status status :
        List.of(InstanceRow.Status.LIVE, InstanceRow.Status.PAUSED, InstanceRow.Status.HALTED)) {
      for (String id : ids(desk, status)) {
        Reply reply =
            desk.submit(
                new dev.signalbox.runtime.Command.Migrate(id, version, map, store.actor(), null));
        moved += reply instanceof Reply.Accepted ? 1 : 0;
      }
    }
    return moved;
  }

  /** Every instance with another version, found before any of them moves. */
  private List<String> ids(Desk desk, InstanceRow.Status status) {
    List<String> ids = new ArrayList<>();
    desk.each(
        Query.ALL.ofMachine(machine).that(status),
        instance -> {
          if (instance.version() != version) {
            ids.add(instance.id());
          }
          return true;
        });
    return ids;
  }

  private void tell(MigrationReport report, long moved) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("machine", machine);
      line.put("to", (long) version);
      line.putAll(StrandingTeller.fields(report));
      line.put("migrated", moved);
      out.println(Json.text(line));
    } else {
      StrandingTeller.print(report, out);
      out.println(dryRun ? "nothing was changed" : "%,d migrated".formatted(moved));
    }
    out.flush();
  }
}
