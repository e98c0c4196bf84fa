package dev.signalbox.server.api;

import dev.signalbox.journal.Due;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How instances are found: by what they are, by a word, or by what falls due first. */
final class InstanceSearch {
  private final Signalbox box;
  private final Catalog catalog;

  InstanceSearch(Signalbox box, Catalog catalog) {
    this.box = box;
    this.catalog = catalog;
  }

  /** Those that the request's parameters ask for and its caller may see. */
  Response list(Request request) {
    String order = request.query("order");
    String after = request.query("after");
    Query query = query(request);
    return switch (order) {
      case null -> list(request, query, Listing.ByAge.at(false, after));
      case "oldest" -> list(request, query, Listing.ByAge.at(false, after));
      case "newest" -> list(request, query, Listing.ByAge.at(true, after));
      case "waiting" -> list(request, query, Listing.Otherwise.at(Sorting.By.WAITING, after));
      case "refused" -> list(request, query, Listing.Otherwise.at(Sorting.By.REFUSED, after));
      case "due" -> dueFirst(request, query);
      default ->
          throw ProblemException.badRequest(
              "Expected 'order' to be oldest, newest, waiting, refused or due, but found another.");
    };
  }

  private Response list(Request request, Query query, Listing listing) {
    String word = word(request);
    return word == null ? page(request, query, listing) : search(request, query, listing, word);
  }

  private static @Nullable String word(Request request) {
    String word = request.query("q");
    return word == null || word.isBlank() ? null : word.strip();
  }

  private static Query query(Request request) {
    Query query = Query.ALL.with(request.queries("field."));
    String machine = request.query("machine");
    String state = request.query("state");
    String status = request.query("status");
    String parent = request.query("parent");
    query = machine == null ? query : query.ofMachine(machine);
    query = state == null ? query : query.in(state);
    query = status == null ? query : query.that(status(status));
    query = parent == null ? query : query.below(parent);
    return request.query("entered_before") == null
        ? query
        : query.inStateSinceBefore(request.number("entered_before", 0, 0, Long.MAX_VALUE));
  }

  private static InstanceRow.Status status(String text) {
    for (InstanceRow.Status status : InstanceRow.Status.values()) {
      if (word(status).equals(text)) {
        return status;
      }
    }
    throw ProblemException.badRequest(
        "Expected the status live, paused, halted or ended, but found another.");
  }

  private static String word(InstanceRow.Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  /** The page of the query that the request asks for, the oldest first. */
  Response page(Request request, Query query) {
    return page(request, query, Listing.ByAge.at(false, request.query("after")));
  }

  private Response page(Request request, Query query, Listing listing) {
    int most = most(request);
    Sorted page = listing.page(box.journal(), query, most);
    List<InstanceRow> rows = page.rows();
    String next = rows.size() < most ? null : listing.behind(rows.getLast()).place();
    return answer(visible(rows, request.caller()), next, page.whole());
  }

  private List<Map<String, @Nullable Object>> visible(List<InstanceRow> rows, Caller caller) {
    return rows.stream()
        .map(box::view)
        .filter(instance -> InstanceRoutes.isVisible(instance, caller))
        .map(Views::instance)
        .toList();
  }

  private static int most(Request request) {
    return (int) request.number("most", 100, 1, Query.MOST);
  }

  private static Response answer(
      List<Map<String, @Nullable Object>> views, @Nullable String next, boolean whole) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("instances", views);
    view.put("next", next);
    view.put("whole", whole);
    return Response.json(view);
  }

  /**
   * Those whose next deadline comes first. The store knows deadlines by their time alone, so what
   * else is asked for is looked for among the first thousand.
   */
  private Response dueFirst(Request request, Query query) {
    int most = most(request);
    String word = word(request);
    List<String> searched = searchable(request.caller());
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    List<Due> first = box.journal().due(InstanceRow.NEVER - 1, Query.MOST);
    Map<Long, InstanceRow> rows =
        box.journal().load(first.stream().map(Due::instance).toList()).stream()
            .collect(Collectors.toMap(InstanceRow::number, row -> row));
    for (Due due : first) {
      InstanceRow row = views.size() < most ? rows.get(due.instance()) : null;
      Instance instance = row == null ? null : box.view(row);
      if (instance != null
          && fits(query, instance)
          && (word == null || says(instance, word, searched))
          && InstanceRoutes.isVisible(instance, request.caller())) {
        views.add(Views.instance(instance));
      }
    }
    return answer(views, null, views.size() == most || first.size() < Query.MOST);
  }

  private static boolean says(Instance instance, String word, List<String> searched) {
    return instance.id().equals(word)
        || searched.stream().anyMatch(field -> has(instance, field, word));
  }

  private static boolean has(Instance instance, String field, String value) {
    return value.equals(String.valueOf(instance.context().get(field)));
  }

  private static boolean fits(Query query, Instance instance) {
    InstanceRow.Status status = query.status();
    Long before = query.enteredBefore();
    return (query.machine() == null || instance.machine().equals(query.machine()))
        && (query.state() == null || instance.states().contains(query.state()))
        && (query.parent() == null || query.parent().equals(instance.parent()))
        && (status == null || instance.status().equals(word(status)))
        && (before == null || instance.since() < before)
        && query.fields().entrySet().stream()
            .allMatch(field -> has(instance, field.getKey(), field.getValue()));
  }

  /**
   * The instance of the id, then those that have the value in any searchable field: each field has
   * a page of its own, and the first of them all are the page.
   */
  private Response search(Request request, Query query, Listing listing, String text) {
    int most = most(request);
    Caller caller = request.caller();
    List<InstanceRow> shown = new ArrayList<>();
    Map<Long, InstanceRow> found = new LinkedHashMap<>();
    boolean whole = true;
    for (String name : searchable(caller)) {
      Map<String, String> fields = new LinkedHashMap<>(query.fields());
      fields.put(name, text);
      Sorted page = listing.page(box.journal(), query.with(fields), most);
      page.rows().forEach(row -> found.put(row.number(), row));
      whole &= page.whole();
    }
    InstanceRow exact = box.journal().load(text);
    if (exact != null && fits(query, box.view(exact))) {
      found.remove(exact.number());
      if (Cursors.isBeginning(request.query("after"))) {
        shown.add(exact);
      }
    }
    Listing last = listing;
    for (InstanceRow row : found.values().stream().sorted(listing.order()).toList()) {
      if (shown.size() < most) {
        shown.add(row);
        last = listing.behind(row);
      }
    }
    String next = found.size() < most ? null : last.place();
    return answer(visible(shown, caller), next, whole);
  }

  private List<String> searchable(Caller caller) {
    return catalog.all(caller).stream()
        .flatMap(listed -> listed.machine().context().stream())
        .filter(field -> field.searchable())
        .map(field -> field.name())
        .distinct()
        .toList();
  }
}
