package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShelfTest {
  private static final long FOUR_SLABS = 4L << 20;

  private final Random random = new Random(7);

  @Test
  void what_is_put_is_taken_once_and_is_the_same() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    InstanceRow row = row("r-1", "p-1", 3, 200);
    shelf.put(row, Set.of("k-1", "k-2"));

    Shelf.Item item = Objects.requireNonNull(shelf.take("r-1"));

    assertThat(item.row()).usingRecursiveComparison().isEqualTo(row);
    assertThat(item.keys()).containsExactlyInAnyOrder("k-1", "k-2");
    assertThat(shelf.take("r-1")).isNull();
  }

  @Test
  void keys_that_nobody_knows_stay_unknown() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    InstanceRow row = row("r-1", null, 0, 10);
    shelf.put(row, null);

    Shelf.Item item = Objects.requireNonNull(shelf.take("r-1"));

    assertThat(item.keys()).isNull();
    assertThat(item.row()).usingRecursiveComparison().isEqualTo(row);
  }

  @Test
  void nothing_is_found_that_was_never_there() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    shelf.put(row("r-1", null, 0, 10), null);

    for (int i = 2; i < 200_000; i++) {
      assertThat(shelf.take("r-" + i)).isNull();
    }
  }

  @Test
  void a_removed_instance_is_gone() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    shelf.put(row("r-1", null, 0, 10), null);
    shelf.remove("r-1");

    assertThat(shelf.take("r-1")).isNull();
  }

  @Test
  void what_is_too_large_or_has_no_room_is_not_kept() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    shelf.put(row("large", null, 0, 100_000), null);
    assertThat(shelf.take("large")).isNull();

    Shelf none = new Shelf(0);
    none.put(row("r-1", null, 0, 10), null);
    assertThat(none.take("r-1")).isNull();
  }

  /** Many rounds over a small ring: what is found is always the newest that was put. */
  @Test
  void it_may_forget_but_never_gives_what_is_outdated() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    Map<String, InstanceRow> newest = new HashMap<>();
    int found = 0;
    for (int i = 0; i < 300_000; i++) {
      String id = "r-" + random.nextInt(30_000);
      if (random.nextInt(3) == 0) {
        Shelf.Item item = shelf.take(id);
        InstanceRow expected = newest.remove(id);
        if (item != null) {
          found++;
          assertThat(item.row()).usingRecursiveComparison().isEqualTo(expected);
        }
      } else {
        InstanceRow row = row(id, null, i % 2, 20 + random.nextInt(300));
        shelf.put(row, null);
        newest.put(id, row);
      }
    }
    assertThat(found).isGreaterThan(10_000);
  }

  @Test
  void the_youngest_are_the_ones_that_stay() {
    Shelf shelf = new Shelf(FOUR_SLABS);
    for (int i = 0; i < 100_000; i++) {
      shelf.put(row("r-" + i, null, 0, 100), null);
    }
    int kept = 0;
    for (int i = 95_000; i < 100_000; i++) {
      kept += shelf.take("r-" + i) == null ? 0 : 1;
    }
    assertThat(kept).isGreaterThan(4_900);
    assertThat(shelf.take("r-0")).isNull();
  }

  private InstanceRow row(String id, @Nullable String parent, long refusals, int bytes) {
    byte[] head = new byte[Hashing.LENGTH];
    byte[] refusalHead = new byte[Hashing.LENGTH];
    byte[] snapshot = new byte[bytes];
    random.nextBytes(head);
    random.nextBytes(snapshot);
    if (refusals > 0) {
      random.nextBytes(refusalHead);
    }
    return new InstanceRow(
        random.nextLong(1, Long.MAX_VALUE),
        id,
        7,
        parent,
        9,
        InstanceRow.Status.PAUSED,
        random.nextLong(1, 1_000_000),
        head,
        refusals,
        refusalHead,
        11,
        12,
        InstanceRow.NEVER,
        snapshot);
  }
}
