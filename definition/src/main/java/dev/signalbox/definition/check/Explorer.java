package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Microstep;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Explores everything a machine can do, breadth first, with the real kernel.
 *
 * <p>The data of events, the time and whatever the start may bring are unknown. From each abstract
 * state every event that something waits for is sent, every timer that may be next falls due, every
 * effect and child ends in every way it can; and each of these steps is run once for every way its
 * unknown conditions can go. So what is reached contains everything that any instance can reach.
 */
final class Explorer {
  /** The clock stands still: only the order of timers is kept, not the time between them. */
  private static final long NOW = 0;

  /** A step with more combinations of unknown conditions than this is not run to the end. */
  private static final int MOST_RUNS = 4_096;

  /** More undelivered events to itself than this are not followed. */
  private static final int LONGEST_INBOX = 6;

  /** The id of the instance that is explored. */
  static final String INSTANCE = "i";

  private final Machine original;
  private final CheckOptions options;
  private final Chart chart;
  private final Alphabet alphabet;
  private final Relevance relevance;
  private final Decisions decisions = new Decisions();
  private final Knowledge knowledge;
  private final ExplorationCompiler compiler;
  private final Canon canon;
  private final Widening widening;
  private final Edges edges;
  private final Set<String> inputs;
  private final Set<String> cumulative = new HashSet<>();
  private final Set<String> fatal = new HashSet<>();
  private final Map<String, String> frozen = new LinkedHashMap<>();
  private final Set<String> finalizing = new HashSet<>();
  private final Set<String> conditions = new HashSet<>();
  private final boolean responds;

  /** Whether leaving a state can change the context, so that an end from outside does. */
  private boolean changesAtTheEnd;

  private final Map<Vertex.Place, Vertex> known = new HashMap<>();
  private final Exploration found = new Exploration();
  private final Deque<Vertex> open = new ArrayDeque<>();

  /**
   * @param values compiles expressions that may see {@link Unknown#VALUE}
   * @throws IllegalArgumentException when the machine is not sound
   */
  Explorer(Machine original, ExpressionCompiler values, Syntax syntax, CheckOptions options) {
    this.original = original;
    this.options = options;
    AbstractMachine prepared = new AbstractMachine(original);
    Outline outline = new Outline(prepared.machine());
    Content content = new Content(outline);
    this.relevance = new Relevance(outline, content, syntax);
    this.alphabet = new Alphabet(outline, content);
    Fields fields = new Fields(content, syntax);
    Typing typing = new Typing(original);
    this.knowledge = new Knowledge(typing, fields.sums());
    this.compiler =
        new ExplorationCompiler(
            prepared,
            content,
            values,
            syntax,
            relevance,
            original.mode() == Machine.Mode.STRICT,
            decisions,
            knowledge,
            new Totality(original, typing, knowledge),
            alphabet.events());
    this.chart = Chart.compile(prepared.machine(), compiler);
    LiveFields live = new LiveFields(outline, content, syntax, relevance, alphabet);
    this.canon = new Canon(original, content, live);
    this.widening = new Widening(options, canon, new Thresholds(original, content, syntax), fields);
    this.inputs = inputs(original, relevance);
    this.edges = new Edges(new Outline(original));
    this.responds = original.invariants().stream().anyMatch(i -> i instanceof Invariant.LeadsTo);
    learn(outline);
  }

  private void learn(Outline outline) {
    for (State state : outline.states()) {
      for (Transition transition : state.transitions()) {
        if (transition.trigger() instanceof Trigger.After after && after.cumulative()) {
          String text = new Trigger.After(after.delay(), null, false).text().substring(6);
          String event = after.event();
          cumulative.add("after:" + state.id() + ":" + (event == null ? text : event));
        }
      }
      state.invokes().stream()
          .filter(i -> !i.finalizer().isEmpty())
          .forEach(i -> finalizing.add(String.valueOf(i.id())));
    }
    for (Invariant invariant : original.invariants()) {
      if (invariant.severity() == Invariant.Severity.FATAL) {
        fatal.add(invariant.name());
      }
      if (invariant instanceof Invariant.Frozen f) {
        frozen.put(f.name(), f.field());
      }
      if (invariant instanceof Invariant.Always) {
        conditions.add(invariant.name());
      }
    }
    changesAtTheEnd =
        original.invariants().stream()
                .anyMatch(i -> i instanceof Invariant.Always && !fatal.contains(i.name()))
            && outline.states().stream().anyMatch(state -> !state.exit().isEmpty());
  }

  Edges edges() {
    return edges;
  }

  Alphabet alphabet() {
    return alphabet;
  }

  Relevance relevance() {
    return relevance;
  }

  /** Explores until nothing new is found or a bound is reached. */
  Exploration explore() {
    if (inputs.isEmpty() || original.mode() == Machine.Mode.SCXML) {
      // There a first value that can't be computed is an event, which a given one prevents.
      step(null, new Occurrence.Started(false));
    }
    if (!inputs.isEmpty()) {
      step(null, new Occurrence.Started(true));
    }
    while (!open.isEmpty()) {
      Ending.look();
      Vertex vertex = open.removeFirst();
      Vertex.Place cover = widening.cover(vertex.place);
      Vertex wider = cover == null ? null : known.get(cover);
      if (wider != null) {
        // Something wider was found since; what follows from there follows from here.
        vertex.leadsTo(wider, true, "");
        vertex.isFinished = true;
        continue;
      }
      if (found.vertices.size() > options.states()) {
        found.cuts.add("it has more than %,d abstract states".formatted(options.states()));
        break;
      }
      if (found.steps > options.steps()) {
        found.cuts.add("it needs more than %,d steps".formatted(options.steps()));
        break;
      }
      if (!vertex.snapshot().done()) {
        occurrences(vertex).forEach(o -> step(vertex, o));
      }
      vertex.isFinished = true;
    }
    found.cuts.addAll(compiler.notes());
    found.blurred = widening.blurred();
    return found;
  }

  /** Everything that can happen next. */
  private List<Occurrence> occurrences(Vertex vertex) {
    List<Occurrence> all = new ArrayList<>();
    Snapshot snapshot = vertex.snapshot();
    for (String event : alphabet.sent(snapshot.configuration())) {
      all.add(new Occurrence.Sent(event));
    }
    for (Timer timer : next(snapshot.memory().timers())) {
      all.add(new Occurrence.Due(timer.id(), timer.message().event().name()));
    }
    for (Pending.Work work : vertex.pending().effects().keySet()) {
      for (String outcome : Alphabet.OUTCOMES) {
        all.add(new Occurrence.Replied(work, outcome));
      }
    }
    for (ChildChange.Invocation child : snapshot.memory().children()) {
      all.add(new Occurrence.ChildEnded(child.id()));
      all.add(new Occurrence.ChildLost(child.id()));
      if (finalizing.contains(child.id())) {
        for (String event : alphabet.sent(snapshot.configuration())) {
          all.add(new Occurrence.ChildSent(child.id(), event));
        }
      }
    }
    vertex.pending().strays().forEach(child -> all.add(new Occurrence.StrayEnded(child)));
    if (vertex.pending().messages() > 0) {
      all.add(new Occurrence.Bounced());
    }
    if (!vertex.pending().echoes().isEmpty()) {
      alphabet
          .awaited(snapshot.configuration(), vertex.pending().echoes())
          .forEach(event -> all.add(new Occurrence.Echoed(event)));
    }
    vertex.pending().arriving().forEach(event -> all.add(new Occurrence.Delivered(event)));
    if (changesAtTheEnd) {
      all.add(new Occurrence.Cancelled());
    }
    return all;
  }

  /**
   * The timers that may fall due next: a timer cannot overtake one that was scheduled no later and
   * waits less long. A cumulative one may have little time left, and of an unknown delay nothing is
   * known.
   */
  private List<Timer> next(List<Timer> timers) {
    List<Timer> possible = new ArrayList<>();
    for (int i = 0; i < timers.size(); i++) {
      Timer timer = timers.get(i);
      boolean first = true;
      for (int j = 0; j < i && first; j++) {
        Timer earlier = timers.get(j);
        boolean comparable =
            earlier.due() != StandIn.UNKNOWN_DELAY
                && timer.due() != StandIn.UNKNOWN_DELAY
                && !cumulative.contains(timer.id());
        first = !comparable || earlier.due() >= timer.due();
      }
      if (first) {
        possible.add(timer);
      }
    }
    return possible;
  }

  /** Runs the step once for every way its unknown conditions can go. */
  private void step(@Nullable Vertex from, Occurrence occurrence) {
    decisions.first();
    int runs = 0;
    do {
      Ending.look();
      if (++runs > MOST_RUNS) {
        found.cuts.add(
            "'%s' depends on too many unknown conditions at once".formatted(occurrence.text()));
        return;
      }
      found.steps++;
      compiler.begin(responds && occurrence.isInside() && !found.risks.contains(occurrence.text()));
      Answer answer = run(from, occurrence);
      switch (answer) {
        case Step step -> stepped(from, occurrence, step);
        case Rejection rejection -> refused(from, occurrence, rejection);
      }
    } while (decisions.next());
  }

  private Answer run(@Nullable Vertex from, Occurrence occurrence) {
    if (from == null) {
      knowledge.beginStart();
      boolean input = occurrence instanceof Occurrence.Started(boolean given) && given;
      return Kernel.start(chart, INSTANCE, null, input ? unknownInput() : Map.of(), NOW);
    }
    Snapshot before = from.snapshot();
    if (occurrence instanceof Occurrence.Due(String timer, String _)) {
      Event event = message(before, timer);
      knowledge.begin(from.place.facts, event);
      return Kernel.fire(chart, before, timer, NOW);
    }
    if (occurrence instanceof Occurrence.Cancelled) {
      knowledge.begin(from.place.facts, null);
      return Kernel.cancel(chart, before, NOW);
    }
    Event event = event(occurrence);
    knowledge.begin(from.place.facts, event);
    if (occurrence instanceof Occurrence.Sent) {
      knowledge.holdToType();
    }
    return Kernel.step(chart, before, event, NOW);
  }

  private static @Nullable Event message(Snapshot snapshot, String timer) {
    return snapshot.memory().timers().stream()
        .filter(t -> t.id().equals(timer))
        .map(t -> t.message().event())
        .findFirst()
        .orElse(null);
  }

  private Map<String, Object> unknownInput() {
    Map<String, Object> input = new LinkedHashMap<>();
    inputs.forEach(field -> input.put(field, Unknown.VALUE));
    return input;
  }

  /**
   * The fields that a start may give a value, all of them at once: whatever the machine does not
   * keep for itself, also where it assigns them later.
   */
  private static Set<String> inputs(Machine machine, Relevance relevance) {
    Set<String> inputs = new LinkedHashSet<>();
    for (Field field : machine.context()) {
      if (!field.own() && relevance.isRelevant(field.name())) {
        inputs.add(field.name());
      }
    }
    return inputs;
  }

  Set<String> inputs() {
    return inputs;
  }

  private static Event event(Occurrence occurrence) {
    return switch (occurrence) {
      case Occurrence.Delivered(Event event) -> event;
      case Occurrence.ChildEnded(String child) -> fromChild("done.invoke." + child, child);
      case Occurrence.StrayEnded(String child) -> fromChild("done.invoke." + child, child);
      case Occurrence.ChildLost(String child) -> fromChild(Alphabet.BOUNCED, child);
      case Occurrence.Bounced _ ->
          new Event(
              Alphabet.BOUNCED, Event.Kind.PLATFORM, Unknown.VALUE, null, null, null, null, null);
      case Occurrence.ChildSent(String child, String event) -> fromChild(event, child);
      case Occurrence.Replied replied -> Event.external(replied.event(), Unknown.VALUE);
      case Occurrence.Sent(String event) -> Event.external(event, Unknown.VALUE);
      case Occurrence.Echoed(String event) -> Event.external(event, Unknown.VALUE);
      case Occurrence.Started _, Occurrence.Due _, Occurrence.Cancelled _ ->
          throw new IllegalArgumentException("not an event: " + occurrence);
    };
  }

  private static Event fromChild(String name, String child) {
    return new Event(name, Event.Kind.PLATFORM, Unknown.VALUE, null, null, null, null, child);
  }

  private void refused(@Nullable Vertex from, Occurrence occurrence, Rejection rejection) {
    if (rejection.code() == Rejection.Code.LIMIT_REACHED) {
      found.ranEndlessly(finding(from, occurrence, true));
      found.cuts.add("a step reaches a limit of the machine or of the exploration");
    }
    if (from == null) {
      found.refusals.add(rejection.message());
    } else {
      givenUp(from, occurrence);
    }
  }

  /**
   * A step that the machine refuses. What was used up in it does not come again; a timer that is
   * refused halts the instance, and a child ends once.
   */
  private void givenUp(Vertex from, Occurrence occurrence) {
    if (occurrence.isUsedUp()) {
      Pending pending = usedUp(from.pending(), occurrence);
      if (!pending.equals(from.pending())) {
        Vertex.Place place = new Vertex.Place(from.snapshot(), from.place.facts, pending);
        Vertex target = known.get(place);
        if (target == null) {
          target = add(place, from, occurrence, knowledge.cause());
        }
        from.leadsTo(target, occurrence.isInside(), occurrence.text());
      } else {
        from.leadsTo(from, occurrence.isInside(), occurrence.text());
      }
    } else if (occurrence instanceof Occurrence.Due
        || occurrence instanceof Occurrence.ChildEnded) {
      found.stalls.putIfAbsent(from, occurrence.text());
    }
  }

  private static Pending usedUp(Pending pending, Occurrence occurrence) {
    return switch (occurrence) {
      case Occurrence.Replied(Pending.Work work, String _) -> pending.answered(work);
      case Occurrence.Delivered(Event event) -> pending.delivered(event);
      case Occurrence.StrayEnded(String child) -> pending.found(child);
      case Occurrence.Bounced _ -> pending.bounced();
      case Occurrence.Started _,
          Occurrence.Sent _,
          Occurrence.Due _,
          Occurrence.ChildEnded _,
          Occurrence.ChildLost _,
          Occurrence.ChildSent _,
          Occurrence.Echoed _,
          Occurrence.Cancelled _ ->
          pending;
    };
  }

  private void stepped(@Nullable Vertex from, Occurrence occurrence, Step step) {
    boolean cancelled = occurrence instanceof Occurrence.Cancelled;
    edges.taken(
        step,
        t -> {
          if (found.isNews(t)) {
            found.took(t, finding(from, occurrence, true));
          }
        });
    boolean refusedInTruth =
        step.violations().stream().anyMatch(v -> fatal.contains(v.invariant()));
    boolean badInput =
        refusedInTruth && occurrence instanceof Occurrence.Started(boolean given) && given;
    for (Step.Violation violation : step.violations()) {
      boolean refused = fatal.contains(violation.invariant());
      if (badInput) {
        found.refusals.add(violation.message());
      } else if (cancelled
          ? !refused && conditions.contains(violation.invariant())
          : refused || !refusedInTruth) {
        // What is only told of is not broken by a step that something else refuses.
        found.violated(violation.invariant(), finding(from, occurrence, !cancelled));
      }
    }
    if (cancelled) {
      return; // Nothing lies behind an end.
    }
    if (from != null) {
      frozenFields(from, occurrence, step);
    }
    if (refusedInTruth) {
      // The machine itself refuses this step, so nothing lies behind it.
      if (from != null) {
        givenUp(from, occurrence);
      }
      return;
    }
    step.microsteps().forEach(m -> found.entered.addAll(m.entered()));
    step.records().forEach(r -> found.emitted.add(r.kind()));
    step.microsteps().stream()
        .map(Microstep::event)
        .filter(Objects::nonNull)
        .forEach(found.received::add);
    if (from != null && compiler.isRisky() && occurrence.isInside()) {
      found.risks.add(occurrence.text());
    }
    Canon.Form form = canon.form(step, knowledge.settle(step.after().context()));
    Pending pending = pending(from, occurrence, step);
    Vertex.Place exact = new Vertex.Place(form.snapshot(), form.facts(), pending);
    Vertex target = known.get(exact);
    if (target == null) {
      Vertex.Place wide = widening.widen(exact);
      Vertex.Place cover = widening.cover(wide);
      target = known.get(cover == null ? wide : cover);
      if (target == null) {
        target = add(wide, from, occurrence, knowledge.cause());
      }
    }
    if (from != null && (target != from || !step.microsteps().isEmpty())) {
      from.leadsTo(target, occurrence.isInside(), occurrence.text());
    }
  }

  private Exploration.Finding finding(@Nullable Vertex from, Occurrence occurrence, boolean sure) {
    return new Exploration.Finding(from, occurrence, knowledge.cause(), sure);
  }

  private Vertex add(
      Vertex.Place place, @Nullable Vertex from, Occurrence occurrence, Knowledge.Cause cause) {
    Vertex vertex = new Vertex(found.vertices.size(), place, from, occurrence, cause);
    known.put(place, vertex);
    found.vertices.add(vertex);
    open.add(vertex);
    found.configurations.add(place.snapshot.configuration());
    widening.added(place, found.steps);
    return vertex;
  }

  /** A frozen field that got an unknown value may have changed, though nobody can see it. */
  private void frozenFields(Vertex from, Occurrence occurrence, Step step) {
    for (Map.Entry<String, String> entry : frozen.entrySet()) {
      boolean held = from.snapshot().memory().monitors().containsKey(entry.getKey());
      boolean entered =
          step.microsteps().size() > 1
              && step.after().memory().monitors().containsKey(entry.getKey());
      if ((held || entered) && compiler.blurred().contains(entry.getValue())) {
        found.violated(entry.getKey(), finding(from, occurrence, false));
      }
    }
  }

  private Pending pending(@Nullable Vertex from, Occurrence occurrence, Step step) {
    if (step.after().done()) {
      return Pending.NOTHING;
    }
    Pending pending = from == null ? Pending.NOTHING : usedUp(from.pending(), occurrence);
    pending = underWay(pending, step);
    for (Step.Message message : step.messages()) {
      if (message.to().equals(INSTANCE)) {
        if (pending.inbox().size() >= LONGEST_INBOX) {
          found.cuts.add("it sends itself events faster than they arrive");
        } else {
          pending = pending.sending(message.event());
        }
      } else if (!alphabet.isAnyones(message.event().name())) {
        // Whoever started it may have named the instance itself.
        pending = pending.echoing(message.event().name());
      }
    }
    Configuration configuration = step.after().configuration();
    return pending.only(event -> alphabet.isHeard(configuration, event));
  }

  /** What is under way after the step, without what the instance sends to itself. */
  static Pending underWay(Pending before, Step step) {
    Set<String> left = new HashSet<>();
    step.microsteps().forEach(m -> left.addAll(m.exited()));
    Configuration configuration = step.after().configuration();
    Pending pending =
        before.without(work ->
            !work.during().isEmpty()
                && (left.contains(work.during()) || !configuration.contains(work.during())));
    for (Step.Effect effect : step.effects()) {
      String during = effect.during();
      if (during == null || configuration.contains(during)) {
        pending =
            pending.performing(new Pending.Work(effect.reply(), during == null ? "" : during));
      }
    }
    for (Step.Message message : step.messages()) {
      if (!message.to().equals(INSTANCE)) {
        pending = pending.telling();
      }
    }
    for (ChildChange change : step.children()) {
      if (change instanceof ChildChange.Cancelled(ChildChange.Invocation child)) {
        pending = pending.losing(child.id());
      }
    }
    return pending;
  }
}
