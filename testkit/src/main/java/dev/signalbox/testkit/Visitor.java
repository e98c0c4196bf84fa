package dev.signalbox.testkit;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorting;
import dev.signalbox.runtime.ManualSignalbox;
import java.util.List;
import java.util.Random;

/** Whoever reads through a node: pages, lists, exports, metrics. It changes nothing. */
final class Visitor {
  private final Random random;

  Visitor(Random random) {
    this.random = random;
  }

  void visit(ManualSignalbox box, String id) {
    Journal journal = box.journal();
    InstanceRow row = journal.load(id);
    long number = row == null ? 1 : row.number();
    switch (random.nextInt(23)) {
      case 0 -> box.signalbox().counts();
      case 1 -> journal.sorted(Query.ALL.page(0, 20), Sorting.by(Sorting.By.REFUSED));
      case 2 -> journal.effects(0, 20);
      case 3 -> journal.effect(number);
      case 4 -> journal.message(number);
      case 5 -> journal.keys(number, 100);
      case 6 -> box.signalbox().unconfirmed(journal.query(Query.ALL.newest().page(0, 20)));
      case 7 -> box.signalbox().feed().read(Math.max(0, box.feed().end() - 20), 20);
      case 8 -> journal.checkpoints(0, 20);
      case 9 -> journal.tombstones(0, 20);
      case 10 -> journal.heads();
      case 11 -> journal.isPending(number, id);
      case 12 -> journal.groups(random.nextInt(100), 5);
      case 13 -> journal.newest(List.of(number));
      case 14 -> journal.load(List.of(number));
      case 15 -> journal.publish(journal.machines().getFirst());
      case 16 -> journal.history(number, Chain.REFUSALS, 1, 10);
      case 17 -> journal.keyed(number, "k-1");
      case 18 -> journal.eachDue(_ -> {});
      case 19 -> journal.clock();
      case 20 -> journal.checkWritable();
      case 21 -> journal.misplaced(5);
      default -> box.signalbox().pausedMachines();
    }
  }
}
