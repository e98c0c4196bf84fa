package dev.signalbox.cli;

import dev.signalbox.services.budget.Budgets;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox replenish}: a person raises a limit of a budget. */
@Command(
    name = "replenish",
    mixinStandardHelpOptions = true,
    description = "Raise a limit of a budget, as a person with the role operator.")
@SuppressWarnings("NullAway.Init")
final class ReplenishCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The budget")
  private String id;

  @Option(
      names = "--account",
      required = true,
      paramLabel = "NAME",
      description = "Whose limit it is")
  private String account;

  @Option(names = "--unit", required = true, paramLabel = "UNIT", description = "What is counted")
  private String unit;

  @Option(names = "--amount", required = true, paramLabel = "N", description = "How much more")
  private long amount;

  @Option(names = "--new-period", description = "Nothing counts as used any more")
  private boolean newPeriod;

  @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why")
  private String reason;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    return StoreOptions.tell(
        store.ask(
            "/budgets/" + Remote.encoded(id) + "/replenish",
            Map.of(
                "account", account,
                "unit", unit,
                "amount", amount,
                "new_period", newPeriod,
                "reason", reason),
            box ->
                Budgets.on(box)
                    .replenish(id, store.actor(), account, unit, amount, newPeriod, reason)),
        json,
        spec.commandLine().getOut());
  }
}
