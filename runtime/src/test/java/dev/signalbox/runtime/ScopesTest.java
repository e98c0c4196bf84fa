package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Trees and machines stand still and go on, instance by instance. */
class ScopesTest {
  private static final Actor KIM = new Actor(Actor.Kind.USER, "kim", List.of());

  private final ManualClock clock = new ManualClock();
  private final MemoryJournal journal = new MemoryJournal(clock);
  private Signalbox box;

  @BeforeEach
  void opened() {
    box = Signalbox.open(journal, Settings.DEFAULT, clock);
    box.publish(
        MachineReader.read(
            new Source(
                "leaf.yaml",
                """
                machine: leaf
                states:
                  WAITING: { after: { 10m: DONE }, on: { stop: DONE } }
                  DONE: { final: true }
                """)));
    box.publish(
        MachineReader.read(
            new Source(
                "branch.yaml",
                """
                machine: branch
                states:
                  GROWING:
                    waits: its leaves
                    invoke: [ { id: one, machine: leaf }, { id: two, machine: leaf } ]
                    on: { done.invoke.one: { }, done.invoke.two: { }, fell: FALLEN }
                  FALLEN: { final: true }
                """)));
    box.publish(
        MachineReader.read(
            new Source(
                "tree.yaml",
                """
                machine: tree
                states:
                  STANDING:
                    waits: its branch
                    invoke: { id: branch, machine: branch }
                    on: { done.invoke.branch: GONE }
                  GONE: { final: true }
                """)));
  }

  @AfterEach
  void closed() {
    box.close();
  }

  private String planted() {
    String id = box.start("tree", Map.of()).id();
    while (tree(id).size() < 4) {
      Thread.onSpinWait();
    }
    return id;
  }

  private List<Instance> tree(String id) {
    List<Instance> tree = new ArrayList<>(List.of(box.instance(id)));
    for (int i = 0; i < tree.size(); i++) {
      tree.addAll(box.instances(Query.ALL.below(tree.get(i).id())));
    }
    return tree;
  }

  @Test
  void a_tree_stands_still_and_goes_on_and_another_does_not() {
    String id = planted();
    String other = planted();
    ScopeReport paused = box.pause(new Scope.Tree(id), Command.Clocks.STOPPED, KIM, "storm");
    assertThat(paused).isEqualTo(new ScopeReport(4, 0, List.of()));
    assertThat(tree(id)).extracting(Instance::status).containsOnly("paused");
    assertThat(tree(other)).extracting(Instance::status).containsOnly("live");
    // Asked again with its key, it is found done; with another key there is nothing to do.
    assertThat(box.pause(new Scope.Tree(id), Command.Clocks.STOPPED, KIM, "storm").done())
        .isEqualTo(4);
    assertThat(box.pause(new Scope.Tree(id), Command.Clocks.STOPPED, KIM, "gale"))
        .isEqualTo(new ScopeReport(0, 4, List.of()));
    assertThat(box.resume(new Scope.Tree(id), KIM, "calm").done()).isEqualTo(4);
    assertThat(tree(id)).extracting(Instance::status).containsOnly("live");
  }

  @Test
  void clocks_stand_still_or_run_as_told() {
    String still = planted();
    String running = planted();
    box.pause(new Scope.Tree(still), Command.Clocks.STOPPED, KIM, null);
    box.pause(new Scope.Tree(running), Command.Clocks.RUNNING, KIM, null);
    clock.advance(Duration.ofHours(1));
    box.resume(new Scope.Tree(still), KIM, null);
    box.resume(new Scope.Tree(running), KIM, null);
    while (tree(running).stream().filter(i -> i.status().equals("ended")).count() < 2) {
      Thread.onSpinWait();
    }
    assertThat(tree(still)).extracting(Instance::status).containsOnly("live");
  }

  @Test
  void every_instance_of_a_machine_stands_still_and_ended_ones_are_passed() {
    String one = planted();
    planted();
    String leaf = tree(one).getLast().id();
    box.send(leaf, "stop");
    ScopeReport paused =
        box.pause(new Scope.OfMachine("leaf"), Command.Clocks.STOPPED, KIM, "night");
    assertThat(paused).isEqualTo(new ScopeReport(3, 0, List.of()));
    assertThat(box.instances(Query.ALL.ofMachine("leaf")))
        .extracting(Instance::status)
        .containsOnly("paused", "ended");
    assertThat(box.instances(Query.ALL.ofMachine("tree")))
        .extracting(Instance::status)
        .containsOnly("live");
    assertThat(box.resume(new Scope.OfMachine("leaf"), KIM, "morning").done()).isEqualTo(3);
  }

  @Test
  void more_instances_than_a_page_has_all_stand_still() {
    for (int i = 0; i < 1_203; i++) {
      box.start("leaf", Map.of());
    }
    assertThat(box.pause(new Scope.OfMachine("leaf"), Command.Clocks.STOPPED, KIM, "n").done())
        .isEqualTo(1_203);
  }

  @Test
  void a_tree_that_is_not_there_is_refused() {
    assertThatThrownBy(() -> box.pause(new Scope.Tree("nobody"), Command.Clocks.STOPPED, KIM, null))
        .isInstanceOf(RejectedException.class)
        .hasMessageContaining("nobody");
  }
}
