package dev.signalbox.testkit.falsify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Throws machines: a few states that are connected at random, and for each {@link Profile} a way
 * into a trap that only its mechanism opens. Invariants are about the trap more often than not, so
 * that a checker that does not know the mechanism proves them.
 */
final class MachineDice {
  private static final String TRAP = "TRAP";
  private static final List<String> EVENTS = List.of("go", "stop", "poke", "go.on", "tick");

  private final Random random;
  private final Profile profile;
  private final Map<String, Object> context = new LinkedHashMap<>();
  private final Map<String, Object> events = new LinkedHashMap<>();
  private final Map<String, Object> states = new LinkedHashMap<>();
  private final Map<String, Map<String, Object>> plain = new LinkedHashMap<>();
  private final List<Object> invariants = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final List<String> records = new ArrayList<>();

  MachineDice(Profile profile, long seed) {
    this.profile = profile;
    this.random = new Random(seed);
  }

  /** The machine as YAML's data. */
  Map<String, Object> thrown() {
    skeleton();
    if (!chance(4)) {
      noise();
    }
    trap(profile == Profile.ANYTHING ? one(Profile.ALL) : profile);
    if (chance(6)) {
      trap(one(Profile.ALL));
    }
    int more = invariants.isEmpty() ? 1 + random.nextInt(3) : random.nextInt(2);
    for (int i = 0; i < more; i++) {
      invariants.add(named(invariant()));
    }
    Map<String, Object> machine = new LinkedHashMap<>();
    machine.put("machine", "m");
    if (!context.isEmpty()) {
      machine.put("context", context);
    }
    if (!events.isEmpty()) {
      machine.put("events", events);
    }
    machine.put("states", states);
    machine.put("invariants", invariants);
    return machine;
  }

  private boolean chance(int in) {
    return random.nextInt(in) == 0;
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @SafeVarargs
  private <T> T any(T... of) {
    return of[random.nextInt(of.length)];
  }

  private static Map<String, Object> map(Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  private void skeleton() {
    int count = 2 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      names.add("S" + i);
    }
    switch (random.nextInt(8)) {
      case 0 -> {
        states.put("S0", state("S0"));
        Map<String, Object> inner = new LinkedHashMap<>();
        names.subList(1, count).forEach(name -> inner.put(name, state(name)));
        states.put("C", map("states", inner));
        names.add("C");
      }
      case 1 -> {
        states.put("S0", state("S0"));
        Map<String, Object> left = new LinkedHashMap<>();
        names.subList(1, count).forEach(name -> left.put(name, state(name)));
        Map<String, Object> right = map("R1", state("R1"), "R2", state("R2"));
        states.put(
            "P",
            map(
                "parallel",
                true,
                "states",
                map("PA", map("states", left), "PB", map("states", right))));
        names.addAll(List.of("R1", "R2"));
      }
      default -> names.forEach(name -> states.put(name, state(name)));
    }
    states.put("END", map("final", true));
    if (chance(2)) {
      states.put(TRAP, map("final", true));
    } else {
      states.put(TRAP, state(TRAP));
    }
    // A way through, so that most of the machine can be reached.
    for (int i = 0; i + 1 < count; i++) {
      if (!chance(6)) {
        on("S" + i, any("go", "go", "stop"), "S" + (i + 1));
      }
    }
    if (!chance(4)) {
      on("S" + (count - 1), any("stop", "go"), "END");
    }
  }

  private Map<String, Object> state(String name) {
    Map<String, Object> state = new LinkedHashMap<>();
    plain.put(name, state);
    if (chance(5)) {
      state.put("waits", "for somebody");
    }
    return state;
  }

  private String place() {
    List<String> leaves = names.stream().filter(plain::containsKey).toList();
    return one(leaves);
  }

  private Map<String, Object> at(String state) {
    return plain.getOrDefault(state, new LinkedHashMap<>());
  }

  @SuppressWarnings("unchecked")
  private void on(String state, String event, Object transition) {
    Map<String, Object> on =
        (Map<String, Object>) at(state).computeIfAbsent("on", _ -> new LinkedHashMap<>());
    Object known = on.get(event);
    if (known == null) {
      on.put(event, transition);
    } else if (transition instanceof Map) {
      List<Object> all = new ArrayList<>(known instanceof List<?> list ? list : List.of(known));
      all.addFirst(transition);
      on.put(event, all);
    }
  }

  @SuppressWarnings("unchecked")
  private void entry(String state, Object action) {
    if (state.equals("END")) {
      return;
    }
    ((List<Object>) at(state).computeIfAbsent("entry", _ -> new ArrayList<>())).add(action);
  }

  @SuppressWarnings("unchecked")
  private void after(String state, String time, Object transition) {
    ((Map<String, Object>) at(state).computeIfAbsent("after", _ -> new LinkedHashMap<>()))
        .put(time, transition);
  }

  @SuppressWarnings("unchecked")
  private void always(String state, Object transition) {
    ((List<Object>) at(state).computeIfAbsent("always", _ -> new ArrayList<>())).add(transition);
  }

  private void field(String name, String type, Object initial) {
    if (context.containsKey(name)) {
      return;
    }
    Map<String, Object> field = map("type", type);
    if (!chance(8)) {
      field.put("default", initial);
    }
    if (!chance(4)) {
      field.put("own", true);
    }
    context.put(name, field);
  }

  /** Transitions, timers, effects and assignments between the plain states. */
  private void noise() {
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      String from = place();
      String to = chance(6) ? "END" : place();
      switch (random.nextInt(11)) {
        case 9 -> {
          field("n", "int", 0);
          always(from, map("to", to, "when", "ctx.n > " + (1 + random.nextInt(3))));
        }
        case 0 -> after(from, any("5m", "1h"), chance(3) ? cumulative(to) : to);
        case 1 -> on(from, any("*", "go.*", "tick poke"), to);
        case 2 -> {
          field("n", "int", 0);
          on(
              from,
              one(EVENTS),
              map("to", to, "assign", map("n", any("ctx.n + 1", "ctx.n - 1", "2"))));
        }
        case 3 -> {
          field("n", "int", 0);
          String guard = "ctx.n " + any("<", ">", "<=", ">=", "==", "!=") + " " + random.nextInt(4);
          on(from, one(EVENTS), map("to", to, "when", guard));
        }
        case 4 -> effect(from, to, chance(2));
        case 5 -> {
          records.add("r");
          on(from, one(EVENTS), map("to", to, "emit", "r"));
        }
        case 6 -> {
          String event = one(EVENTS);
          on(from, event, to);
          events.putIfAbsent(event, map("roles", List.of(any("boss", "agent", "user"))));
        }
        case 7 -> {
          on(from, any("error.communication", "error.*", "error"), to);
        }
        case 8 -> {
          field("b", "bool", false);
          on(from, one(EVENTS), map("assign", map("b", any("true", "!ctx.b", "event.b"))));
        }
        default -> on(from, one(EVENTS), chance(3) ? map() : to);
      }
    }
  }

  private static Map<String, Object> cumulative(String to) {
    return map("to", to, "clock", "cumulative");
  }

  /** An effect that the state asks for when it is entered, with its ends handled there. */
  private void effect(String state, String to, boolean idempotent) {
    entry(state, perform(state, idempotent, false));
    on(state, "pay.succeeded", to);
    if (!chance(3)) {
      on(state, "pay.failed", place());
    }
    if (!idempotent || chance(2)) {
      on(state, "pay.unknown", place());
    }
  }

  private static Map<String, Object> perform(String state, boolean idempotent, boolean during) {
    Map<String, Object> perform = map("effect", "pay", "idempotent", idempotent);
    if (during) {
      perform.put("during", state);
    }
    return map("perform", perform);
  }

  /** A way into the trap, or out of a proof, that only the mechanism opens. */
  private void trap(Profile kind) {
    String from = place();
    String to = TRAP;
    boolean promise = false;
    switch (kind) {
      case SUFFIX -> {
        switch (random.nextInt(4)) {
          case 0 -> on(from, "pay.succeeded", to);
          case 1 -> {
            field("n", "int", 0);
            events.put("set", map("data", map("n", map("type", "int", "values", List.of(1, 2)))));
            on(from, "set", map("assign", map("n", "event.n")));
            invariants.add(named(map("always", "ctx.n < 5")));
          }
          case 2 -> {
            events.put("reset", map("roles", List.of(any("machine:other", "boss"))));
            on(from, any("reset", "reset.*"), to);
          }
          default -> on(from, any("done.state.C", "done.invoke.c", "done"), to);
        }
        if (chance(2)) {
          entry(any(place(), "END"), perform("", true, false));
        }
      }
      case ERROR_EVENT -> on(from, any("error", "error", "error.*", "done", "done.*"), to);
      case BOUNCE -> {
        String sender = place();
        Object send =
            map(
                "send",
                map("event", "hello", "to", map("instance", any("'nobody'", "'i-0'", "ctx.s"))));
        field("s", "string", "nobody");
        if (chance(2)) {
          entry(sender, send);
        } else {
          on(sender, one(EVENTS), map("to", place(), "do", List.of(send)));
        }
        on(any(sender, from), any("error.communication", "error.*", "error"), to);
      }
      case TELLS_ITSELF -> {
        context.put("s", map("type", "string", "default", "nobody"));
        Object named = map("instance", "ctx.s");
        switch (random.nextInt(3)) {
          case 0 -> {
            field("n", "int", 0);
            events.put("set", map("data", map("n", map("type", "int", "values", List.of(1, 2)))));
            Object set =
                map("send", map("event", "set", "to", named, "data", map("n", any(2, 9, 9))));
            on(from, "tell", map("do", List.of(set)));
            on(from, "set", map("assign", map("n", "event.n")));
            invariants.add(named(map("always", "ctx.n < 5")));
          }
          case 1 -> {
            entry(from, map("send", map("event", "pay.succeeded", "to", named)));
            on(any(from, place()), any("pay.succeeded", "pay.*"), TRAP);
            entry("END", perform("", true, false));
          }
          default -> {
            String event = any("done.x", "error.x", "zz", "go");
            on(from, "tell", map("do", List.of(map("send", map("event", event, "to", named)))));
            on(any(from, from, place()), any(event, "*"), TRAP);
          }
        }
      }
      case SIBLING_REPLY -> {
        String asks = place();
        entry(asks, perform(asks, chance(2), false));
        if (chance(2)) {
          String region = "Q" + random.nextInt(9);
          Map<String, Object> inner = map("Q1", map("on", map("pay.succeeded", TRAP)));
          Map<String, Object> other = map("Q2", map("on", map("stop", any("END", "S0"))));
          states.put(
              region,
              map(
                  "parallel",
                  true,
                  "states",
                  map("QA", map("states", inner), "QB", map("states", other))));
          on(asks, one(EVENTS), any("Q2", "Q2", region));
        } else {
          states.put("LATE", map("on", map("pay.succeeded", TRAP)));
          invariants.add(
              named(
                  map(
                      "leads_to",
                      map("from", asks, "to", "END", "within", "10m", "target", "LATE"))));
        }
      }
      case REFUSED_REPLY -> {
        promise = true;
        field("b", "bool", false);
        entry(from, perform(from, chance(2), false));
        on(from, "pay.succeeded", map("to", "END", "when", any("ctx.b", "ctx.b", "event.b")));
        on(from, "pay.failed", "END");
        on(from, "pay.unknown", "END");
        if (chance(2)) {
          on(from, "ok", map("assign", map("b", true)));
        }
        promise(from, "END");
      }
      case DURING -> {
        promise = true;
        entry(from, perform(from, chance(2), true));
        String then = place();
        on(from, "leave", then);
        for (String state : List.of(from, then)) {
          on(state, "pay.succeeded", "END");
          on(state, "pay.failed", "END");
          on(state, "pay.unknown", "END");
        }
        promise(from, "END");
      }
      case RESET_TIMER -> {
        promise = true;
        after(from, "5m", any("END", "END", place()));
        on(from, "poke", any(from, from, place()));
        if (chance(3)) {
          on(place(), "poke", from);
        }
        promise(from, "END");
      }
      case NOT_A_NUMBER -> notANumber(from);
      case LARGE_NUMBER -> large(from);
      case EMPTY_LIST -> {
        String type = any("any", "any", "list", "map");
        field("x", type, type.equals("map") ? new LinkedHashMap<>() : new ArrayList<>());
        on(from, "set", map("assign", map("x", "event.x")));
        switch (random.nextInt(3)) {
          case 0 ->
              on(
                  from,
                  "probe",
                  map(
                      "to",
                      TRAP,
                      "when",
                      any(
                          "size(ctx.x) == 0 && ctx.x != []",
                          "ctx.x != [] && size(ctx.x) < 1",
                          "!(ctx.x == []) && size(ctx.x) == 0",
                          "ctx.x == [] && size(ctx.x) > 0")));
          case 1 ->
              on(
                  from,
                  "probe",
                  List.of(
                      map("to", "END", "when", "size(ctx.x) > 0"),
                      map("to", "END", "when", "ctx.x == []"),
                      TRAP));
          default ->
              invariants.add(
                  named(
                      map(
                          "always",
                          any(
                              "ctx.x == [] || size(ctx.x) > 0",
                              "size(ctx.x) != 0 || ctx.x == []"))));
        }
      }
      case NO_START -> {
        field("n", "int", 0);
        invariants.add(named(map("always", any("ctx.n > 0", "ctx.n != ctx.n", "false"))));
      }
      case FAILING_START -> {
        field("n", "int", 0);
        if (chance(2)) {
          Map<String, Object> field = map("type", "int", "own", true);
          field.put("compute", any("1 / 0", "[1][2]", "int('x')"));
          context.put("n", field);
        } else {
          entry("S0", map("assign", map("n", any("1 / 0", "1 / ctx.n"))));
        }
      }
      case SYSTEM_ONLY -> {
        String event = any("cmd", "cmd", "go");
        events.put(event, map("roles", List.of(any("system", "system", "machine:other", "timer"))));
        on(from, event, to);
      }
      case UNKNOWN_OUTCOME -> {
        String asks = place();
        entry(asks, perform(asks, true, chance(4)));
        on(asks, "pay.succeeded", any("END", place()));
        on(asks, "pay.failed", any("END", place()));
        on(asks, any("pay.unknown", "pay.unknown", "pay.*", "pay"), to);
      }
      case KEYED -> {
        records.add("paid");
        Object emit =
            map("record", "paid", "data", map("id", any("event.s", "event.s", "'a'", "ctx.s")));
        field("s", "string", "");
        on(from, one(EVENTS), map("to", place(), "emit", emit));
        records.add("asked");
        Object ask = map("record", "asked", "data", map("id", any("event.s", "'a'", "ctx.s")));
        on(place(), one(EVENTS), map("to", place(), "emit", ask));
        Object paid = map("record", "paid", "by", "id");
        Object asked = map("record", "asked", "by", "id");
        invariants.add(
            named(
                switch (random.nextInt(4)) {
                  case 0 -> map("exactly_once", paid);
                  case 1 -> map("at_most", map("fact", paid, "times", 1 + random.nextInt(2)));
                  case 2 -> map("before", map("reaching", paid, "must_visit", asked));
                  default -> map("one_at_a_time", map("opens", paid, "closes", asked));
                }));
      }
      case COUNTER -> {
        field("n", "int", 0);
        int most = any(2, 3, 5);
        on(
            from,
            "add",
            map(
                "when",
                    any(
                        "ctx.n < %d".formatted(most),
                        "ctx.n + event.n <= %d && event.n > 0".formatted(most)),
                "assign", map("n", any("ctx.n + 1", "ctx.n + event.n", "ctx.n + 2"))));
        events.putIfAbsent("add", map("data", map("n", "int")));
        invariants.add(named(map("always", "ctx.n <= %d".formatted(most + random.nextInt(2)))));
        if (chance(2)) {
          field("l", "list", new ArrayList<>());
          on(
              from,
              "sum",
              map(
                  "do",
                  List.of(
                      map(
                          "foreach",
                          map(
                              "in", any("event.l", "[1, 2]"),
                              "item", "i",
                              "do",
                                  List.of(
                                      map(
                                          "assign",
                                          map("n", any("ctx.n + 1", "i", "ctx.n + i")))))))));
        }
      }
      case TIMED -> {
        String timed = place();
        switch (random.nextInt(4)) {
          case 0 -> after(timed, any("1m", "5m"), cumulative(to));
          case 1 -> {
            entry(timed, map("send", map("event", "later", "after", any("1m", "10m"), "id", "x")));
            on(from, "later", to);
            if (chance(2)) {
              on(timed, "poke", map("to", place(), "do", List.of(map("cancel", "x"))));
            }
          }
          case 2 -> {
            after(timed, "1m", place());
            after(timed, any("2m", "1m1s"), to);
          }
          default -> {
            after(timed, "5m", map("to", to, "when", any("ctx.b", "!ctx.b")));
            field("b", "bool", false);
            on(timed, "poke", map("assign", map("b", true)));
          }
        }
        if (chance(2)) {
          invariants.add(
              named(
                  map(
                      "leads_to",
                      map(
                          "from", timed,
                          "to", any("END", place()),
                          "within", any("30s", "3m", "10m"),
                          "target", any(TRAP, "END", place())))));
        }
      }
      case ANYTHING -> noise();
    }
    if (!promise && chance(5)) {
      invariants.add(named(aboutTheTrap()));
    } else if (!promise) {
      invariants.add(named(map("never", TRAP)));
    }
  }

  /** A quotient of doubles may be no number, and then no comparison with it holds. */
  private void notANumber(String from) {
    field("d", "double", any(0.0, 1.0));
    field("e", "double", any(0.0, 1.0));
    events.putIfAbsent("set", map("data", map("d", "double", "e", "double")));
    Object assign =
        map("d", any("event.d", "event.d / event.e", "ctx.d * 1.0e308"), "e", "event.e");
    if (!chance(3)) {
      on(from, "set", map("assign", assign));
    }
    String value =
        any(
            "ctx.d",
            "ctx.d / ctx.e",
            "(ctx.d / ctx.e)",
            "(ctx.d / 0.0)",
            "(ctx.d / 0.0 - ctx.e / 0.0)");
    String limit = any("1.0", "0.0", "ctx.e", "1");
    String above = "%s > %s".formatted(value, limit);
    String below = "%s <= %s".formatted(value, limit);
    switch (random.nextInt(4)) {
      case 0 ->
          on(from, "probe", map("to", TRAP, "when", "!(%s) && !(%s)".formatted(above, below)));
      case 1 ->
          on(
              from,
              "probe",
              List.of(map("to", "END", "when", above), map("to", "END", "when", below), TRAP));
      case 2 ->
          on(
              from,
              "probe",
              List.of(map("to", "END", "when", "%s == %s".formatted(value, value)), TRAP));
      default ->
          invariants.add(
              named(
                  map(
                      "always",
                      any(
                          "%s == %s".formatted(value, value),
                          "%s || %s".formatted(above, below),
                          "!(%s > 5.0) || %s > 1.0".formatted(value, value)))));
    }
  }

  /** Numbers beyond 2^53 come from literals and sums: data that is sent can't hold them. */
  private void large(String from) {
    long big = any(9007199254740992L, 9007199254740993L, 4611686018427387904L, Long.MAX_VALUE - 1);
    long near = big + any(1, 1, -1);
    field("n", "int", any(0L, big, big));
    events.putIfAbsent("set", map("data", map("n", "int")));
    String sent = any("event.n", "event.n + " + big, "event.n + " + big);
    on(
        from,
        "set",
        map(
            "assign", map("n", any("ctx.n + 1", "ctx.n - 1", String.valueOf(near), sent, sent)),
            "when", any("true", compared(big, near))));
    if (chance(2)) {
      on(
          from,
          "probe",
          map("to", TRAP, "when", compared(near, near) + " && " + compared(big, near)));
    } else {
      invariants.add(
          named(map("always", compared(big, near) + any("", " || " + compared(big, near)))));
    }
  }

  /** A comparison with one of two numbers, as a whole number or as the double next to it. */
  private String compared(long big, long near) {
    long bound = any(big, near);
    return "ctx.n %s %s"
        .formatted(sign(), chance(3) ? String.valueOf((double) bound) : String.valueOf(bound));
  }

  private String sign() {
    return any("==", "!=", "<", ">", "<=", ">=");
  }

  private void promise(String from, String to) {
    at(from).remove("waits");
    invariants.add(named(map("leads_to", map("from", from, "to", any(to, to, List.of(to, TRAP))))));
  }

  private Map<String, Object> aboutTheTrap() {
    return switch (random.nextInt(5)) {
      case 0 -> map("before", map("reaching", TRAP, "must_visit", place()));
      case 1 -> map("at_most", map("fact", TRAP, "times", 1));
      case 2 -> map("apart", List.of(TRAP, place()));
      case 3 -> map("never", place() + " -> " + TRAP);
      default -> map("leads_to", map("from", place(), "to", List.of(TRAP, "END")));
    };
  }

  private Object fact() {
    return switch (random.nextInt(5)) {
      case 0 -> map("event", one(EVENTS));
      case 1 -> place() + " -> " + place();
      case 2 -> records.isEmpty() ? place() : map("record", one(records));
      default -> place();
    };
  }

  private Map<String, Object> invariant() {
    return switch (random.nextInt(9)) {
      case 0 -> map("never", fact());
      case 1 -> map("apart", List.of(place(), place()));
      case 2 -> map("before", map("reaching", fact(), "must_visit", fact()));
      case 3 -> map("leads_to", map("from", fact(), "to", chance(2) ? "END" : fact()));
      case 4 ->
          map(
              "leads_to",
              map(
                  "from",
                  fact(),
                  "to",
                  fact(),
                  "within",
                  any("2m", "10m"),
                  "target",
                  any("END", place())));
      case 5 -> map("exactly_once", fact());
      case 6 -> map("at_most", map("fact", fact(), "times", 1 + random.nextInt(3)));
      case 7 -> map("one_at_a_time", map("opens", fact(), "closes", fact()));
      default -> {
        if (context.isEmpty()) {
          yield map("never", fact());
        }
        String field = one(List.copyOf(context.keySet()));
        yield map("frozen", map("field", field, "after", place()));
      }
    };
  }

  private Map<String, Object> named(Map<String, Object> invariant) {
    Map<String, Object> named = new LinkedHashMap<>();
    named.put("name", "i" + invariants.size());
    if (chance(5)) {
      named.put("severity", any("error", "warn"));
    }
    named.putAll(invariant);
    return named;
  }
}
