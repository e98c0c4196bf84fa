package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Verdict;
import dev.signalbox.definition.play.Entry;
import dev.signalbox.definition.play.MachineLibrary;
import dev.signalbox.definition.play.Playground;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.definition.play.Transcript;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults planted in the machines that ship are found, and what breaks an invariant plays. */
class PlantedFaultsTest {

  static List<PlantedFault> faults() {
    return PlantedFault.all();
  }

  @ParameterizedTest
  @MethodSource("faults")
  void a_planted_fault_is_found(PlantedFault fault) {
    Definition definition = YamlReader.read(fault.source());

    CheckReport report = Check.run(definition);

    assertThat(fault.finds() + fault.breaks()).as("something is to be found").isNotEmpty();
    if (!fault.finds().isEmpty()) {
      assertThat(report.problems())
          .as("problems: %s", report.problems())
          .anyMatch(p -> p.code().equals(fault.finds()) && p.message().contains(fault.about()));
    }
    if (!fault.breaks().isEmpty()) {
      Verdict verdict =
          report.invariants().stream()
              .filter(v -> v.invariant().name().equals(fault.breaks()))
              .findFirst()
              .orElseThrow();
      assertThat(verdict).as("%s", report.problems()).isInstanceOf(Verdict.Refuted.class);
      assertThat(report.ok()).isFalse();
      shows(Objects.requireNonNull(definition.machine()), (Verdict.Refuted) verdict);
    }
  }

  /** Plays the sequence as {@code signalbox play --events} does. */
  private static void shows(Machine machine, Verdict.Refuted refuted) {
    Transcript transcript =
        new Playground(machine, new MachineLibrary(List.of(), null)).play(refuted.sequence());

    String told =
        refuted.why()
            + ": "
            + Stimulus.text(refuted.sequence())
            + transcript.entries().stream()
                .map(e -> "\n" + e.event().name() + " " + e.before() + " -> " + e.after())
                .collect(Collectors.joining());
    if (refuted.invariant() instanceof Invariant.LeadsTo) {
      assertThat(transcript.done()).as(told).isFalse();
      assertThat(transcript.entries()).as(told).noneMatch(e -> e.answer() instanceof Rejection);
    } else {
      assertThat(transcript.entries())
          .as(told)
          .anyMatch(e -> breaks(e, refuted.invariant().name()));
    }
  }

  private static boolean breaks(Entry entry, String invariant) {
    return switch (entry.answer()) {
      case Step step -> step.violations().stream().anyMatch(v -> v.invariant().equals(invariant));
      case Rejection rejection ->
          rejection.code() == Rejection.Code.INVARIANT_BROKEN
              && rejection.message().contains(invariant);
    };
  }

  @Test
  void faults_are_planted_in_every_system() {
    assertThat(faults()).hasSizeGreaterThanOrEqualTo(36);
    assertThat(faults())
        .extracting(f -> SystemMachines.system(f.machine()))
        .contains("conversations", "runs", "agents", "coordinator", "research", "services");
    assertThat(faults()).extracting(PlantedFault::toString).doesNotHaveDuplicates();
  }
}
