package dev.signalbox.server.api;

import dev.signalbox.journal.Due;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
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
import java.util.stream.Stream;
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
    String word = request.query("q");
    String order = request.query("order");
    Query query = query(request);
    if (word != null && !word.isBlank()) {
      return search(request, query, word.strip());
    }
    return switch (order) {
      case null -> page(request, query);
      case "oldest" -> page(request, query);
      case "newest" -> page(request, query.newest());
      case "due" -> dueFirst(request, query);
      default ->
          throw ProblemException.badRequest(
              "Expected 'order' to be oldest, newest or due, but found another.");
    };
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

  /** The page of the query that the request asks for. */
  Response page(Request request, Query query) {
    int most = most(request);
    long after = Cursors.read(request.query("after"));
    List<InstanceRow> rows = box.journal().query(query.page(after, most));
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (InstanceRow row : rows) {
      Instance instance = box.view(row);
      if (InstanceRoutes.isVisible(instance, request.caller())) {
        views.add(Views.instance(instance));
      }
    }
    return answer(views, rows.size() < most ? null : Cursors.text(rows.getLast().number()));
  }

  private static int most(Request request) {
    return (int) request.number("most", 100, 1, Query.MOST);
  }

  private static Response answer(List<Map<String, @Nullable Object>> views, @Nullable String next) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("instances", views);
    view.put("next", next);
    return Response.json(view);
  }

  /**
   * Those whose next deadline comes first. The store knows deadlines by their time alone, so what
   * else is asked for is looked for among the first thousand.
   */
  private Response dueFirst(Request request, Query query) {
    int most = most(request);
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (Due due : box.journal().due(InstanceRow.NEVER - 1, Query.MOST)) {
      InstanceRow row = views.size() < most ? box.journal().load(due.instance()) : null;
      Instance instance = row == null ? null : box.view(row);
      if (instance != null
          && fits(query, instance)
          && InstanceRoutes.isVisible(instance, request.caller())) {
        views.add(Views.instance(instance));
      }
    }
    return answer(views, null);
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
            .allMatch(field ->
                field.getValue().equals(String.valueOf(instance.context().get(field.getKey()))));
  }

  /** The instance of the id, or those that have the value in any searchable field. */
  private Response search(Request request, Query query, String text) {
    int most = most(request);
    Caller caller = request.caller();
    Map<String, Map<String, @Nullable Object>> views = new LinkedHashMap<>();
    if (box.journal().load(text) != null) {
      Instance exact = box.instance(text);
      if (fits(query, exact) && InstanceRoutes.isVisible(exact, caller)) {
        views.put(exact.id(), Views.instance(exact));
      }
    }
    searchable(caller)
        .forEach(name -> {
          Map<String, String> fields = new LinkedHashMap<>(query.fields());
          fields.put(name, text);
          for (Instance instance : box.instances(query.with(fields).page(0, most))) {
            if (views.size() < most && InstanceRoutes.isVisible(instance, caller)) {
              views.put(instance.id(), Views.instance(instance));
            }
          }
        });
    return answer(List.copyOf(views.values()), null);
  }

  private Stream<String> searchable(Caller caller) {
    return catalog.all(caller).stream()
        .flatMap(listed -> listed.machine().context().stream())
        .filter(field -> field.searchable())
        .map(field -> field.name())
        .distinct();
  }
}
