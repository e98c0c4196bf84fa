package dev.signalbox.services.notification;

import dev.signalbox.runtime.Feed;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Watch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is told, for whoever reads along from a cursor of their own: the source of an
 * event stream. Nothing is kept for a reader; one that comes back with the cursor of the last
 * notification it has goes on exactly there.
 */
public final class NotificationStream {
  /** The most entries that one reading looks at, so that it returns soon. */
  private static final int ENTRIES = 2_000;

  private final Feed feed;
  private final Rules rules;

  public NotificationStream(Feed feed, Rules rules) {
    this.feed = feed;
    this.rules = rules;
  }

  /**
   * What a reader wants to hear; what is null or empty does not restrict.
   *
   * @param rules names of rules
   */
  public record Filter(
      Set<Audience> audiences,
      @Nullable String machine,
      @Nullable String instance,
      Set<String> rules) {
    public static final Filter ALL = new Filter(Set.of(), null, null, Set.of());

    public Filter {
      audiences = Set.copyOf(audiences);
      rules = Set.copyOf(rules);
    }

    public static Filter of(Audience... audiences) {
      return new Filter(Set.of(audiences), null, null, Set.of());
    }

    boolean wants(Notification notification) {
      return (audiences.isEmpty() || audiences.contains(notification.audience()))
          && (machine == null || machine.equals(notification.machine()))
          && (instance == null || instance.equals(notification.instance()))
          && (rules.isEmpty() || rules.contains(notification.rule()));
    }
  }

  /**
   * What was read.
   *
   * @param next where to go on, also when nothing was told
   * @param entries how many entries were looked at
   * @param isEnd whether there was nothing more in the store
   */
  public record Page(List<Notification> notifications, Cursor next, int entries, boolean isEnd) {}

  /** The place after everything there is. */
  public Cursor end() {
    return Cursor.after(feed.end());
  }

  /**
   * Reads on from a cursor; whole entries, so that a page may be a little longer than asked for.
   */
  public Page read(Cursor after, Filter filter, int most) {
    List<Notification> found = new ArrayList<>();
    Cursor next = after;
    // The entry itself once more, when it gave more than the reader has.
    long from = after.index() == Integer.MAX_VALUE ? after.position() : after.position() - 1;
    List<FeedEntry> entries = feed.read(Math.max(0, from), ENTRIES);
    int seen = 0;
    for (FeedEntry entry : entries) {
      if (found.size() >= most) {
        return new Page(found, next, seen, false);
      }
      for (Notification notification : rules.of(entry)) {
        if (notification.cursor().compareTo(after) > 0 && filter.wants(notification)) {
          found.add(notification);
        }
      }
      next = Cursor.after(entry.position());
      seen++;
    }
    return new Page(found, next, seen, entries.size() < ENTRIES);
  }

  /** Says when reading is worth while; see {@link Feed#onCommit}. */
  public Watch onNews(Runnable hint) {
    return feed.onCommit(hint);
  }
}
