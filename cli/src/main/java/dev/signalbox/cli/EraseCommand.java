package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Erasure;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox erase}: the personal data of an ended instance, for ever. */
@Command(
    name = "erase",
    mixinStandardHelpOptions = true,
    description = {
      "Erase the personal data of an ended instance and of everything below it, by destroying "
          + "the keys.",
      "It can't be taken back. What is not personal stays, and the journal still verifies."
    })
@SuppressWarnings("NullAway.Init")
final class EraseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The instance")
  private String id;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Erasure erasure = store.at(false, desk -> desk.erase(id, store.actor()));
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("erased", erasure.erased());
      line.put("clear", erasure.clear());
      line.put("forks", erasure.forks());
      out.println(Json.text(line));
    } else {
      erasure.erased().forEach(erased -> out.printf("%s is erased%n", erased));
      erasure.clear().forEach(clear -> out.printf("%s has nothing personal%n", clear));
      erasure.forks().forEach(fork -> out.printf("%s began from it and has a copy%n", fork));
    }
    out.flush();
    return 0;
  }
}
