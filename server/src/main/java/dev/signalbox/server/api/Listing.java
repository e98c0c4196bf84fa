package dev.signalbox.server.api;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** An order in which the store lists instances, from a place in it on. */
sealed interface Listing {

  /** The instances that fit, from the place on. */
  Sorted page(Journal journal, Query query, int most);

  Comparator<InstanceRow> order();

  /** The same order behind an instance. */
  Listing behind(InstanceRow last);

  /** The place, for a client to send back. */
  String place();

  /** By number, which is the age. */
  record ByAge(boolean newest, long after) implements Listing {
    static ByAge at(boolean newest, @Nullable String place) {
      return new ByAge(newest, Cursors.read(place));
    }

    @Override
    public Sorted page(Journal journal, Query query, int most) {
      Query page = query.page(after, most);
      return new Sorted(journal.query(newest ? page.newest() : page), true);
    }

    @Override
    public Comparator<InstanceRow> order() {
      Comparator<InstanceRow> upwards = Comparator.comparingLong(InstanceRow::number);
      return newest ? upwards.reversed() : upwards;
    }

    @Override
    public Listing behind(InstanceRow last) {
      return new ByAge(newest, last.number());
    }

    @Override
    public String place() {
      return Cursors.text(after);
    }
  }

  /** In one of the store's other orders. */
  record Otherwise(Sorting sorting) implements Listing {
    static Otherwise at(Sorting.By by, @Nullable String place) {
      return new Otherwise(Cursors.read(by, place));
    }

    @Override
    public Sorted page(Journal journal, Query query, int most) {
      return journal.sorted(query.page(0, most), sorting);
    }

    @Override
    public Comparator<InstanceRow> order() {
      return sorting.order();
    }

    @Override
    public Listing behind(InstanceRow last) {
      return new Otherwise(sorting.behind(last));
    }

    @Override
    public String place() {
      return Cursors.text(sorting);
    }
  }
}
