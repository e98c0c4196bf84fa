package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.TimerChange;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns a path of the exploration into a sequence of events that the kernel really takes.
 *
 * <p>First it walks the path with guessed data, backtracking where a guess leads elsewhere, and
 * lets each timer fire where the path says. Then it finds times at which the timers fire in that
 * order by themselves, and plays the whole sequence again on a clock. Only what that play shows is
 * reported.
 */
final class Realiser {
  /** Kernel steps spent on one path. */
  private static final int MOST_TRIES = 600;

  private static final long LONGEST_PAUSE = Duration.ofDays(400).toMillis();

  private final Chart chart;
  private final Guesses guesses;
  private final Set<String> inputs;
  private final Alphabet alphabet;
  private final Set<String> fatal = new HashSet<>();
  private int tries;

  /**
   * @param chart of the machine whose invariants report instead of refusing
   * @param original the machine as it was written
   * @param inputs the fields that a start may give a value
   */
  Realiser(Chart chart, Machine original, Guesses guesses, Alphabet alphabet, Set<String> inputs) {
    this.chart = chart;
    this.guesses = guesses;
    this.inputs = inputs;
    this.alphabet = alphabet;
    for (Invariant invariant : original.invariants()) {
      if (invariant.severity() == Invariant.Severity.FATAL) {
        fatal.add(invariant.name());
      }
    }
  }

  /** A sequence that was played, and where it ended. */
  record Realised(List<Stimulus> sequence, Scene end) {}

  /** One step of a path, and the configuration it leads to when that is known. */
  private record Hop(
      Occurrence occurrence, Knowledge.Cause cause, @Nullable Configuration expected) {}

  /**
   * One stimulus of the walk: an event that was sent, or a timer that fired.
   *
   * @param pause how long after the stimulus before it comes at least
   */
  private record Move(@Nullable Stimulus stimulus, Scene after, long pause) {
    Move(@Nullable Stimulus stimulus, Scene after) {
      this(stimulus, after, 0);
    }
  }

  /** The path to the vertex. */
  Optional<Realised> reach(Vertex vertex, Predicate<Scene> goal) {
    return realise(hops(vertex), goal);
  }

  /** The path to the step that was found. */
  Optional<Realised> reach(Exploration.Finding finding, Predicate<Scene> goal) {
    List<Hop> hops = finding.from() == null ? new ArrayList<>() : hops(finding.from());
    hops.add(new Hop(finding.occurrence(), finding.cause(), null));
    return realise(hops, goal);
  }

  /** A sequence whose last stimulus runs into a limit of the machine. */
  Optional<List<Stimulus>> reachLimit(Exploration.Finding finding) {
    Vertex from = finding.from();
    if (from == null) {
      return Scene.startIsEndless(chart) ? Optional.of(List.of()) : Optional.empty();
    }
    List<Stimulus> last = new ArrayList<>();
    Optional<Realised> before =
        realise(
            hops(from),
            scene -> {
              last.clear();
              if (finding.occurrence() instanceof Occurrence.Due(String id, String _)) {
                Timer earliest = scene.earliest();
                if (earliest != null && earliest.id().equals(id)) {
                  long wait = Math.max(0, earliest.due() - scene.now());
                  last.add(new Stimulus.Wait(Duration.ofMillis(wait)));
                }
              } else {
                last.addAll(guesses.sends(finding.occurrence().text(), scene, finding.cause()));
              }
              last.removeIf(s -> !scene.isEndless(s));
              return !last.isEmpty();
            });
    return before.map(b -> {
      List<Stimulus> all = new ArrayList<>(b.sequence());
      all.add(last.getFirst());
      return merged(all);
    });
  }

  private static List<Hop> hops(Vertex vertex) {
    List<Hop> hops = new ArrayList<>();
    for (Vertex v = vertex; v != null; v = v.parent) {
      boolean settled = v.pending().inbox().isEmpty();
      hops.addFirst(new Hop(v.occurrence, v.cause, settled ? v.snapshot().configuration() : null));
    }
    return hops;
  }

  private Optional<Realised> realise(List<Hop> hops, Predicate<Scene> goal) {
    tries = 0;
    Hop start = hops.getFirst();
    boolean input = start.occurrence() instanceof Occurrence.Started(boolean given) && given;
    List<Map<String, @Nullable Object>> starts = new ArrayList<>(List.of(Map.of()));
    if (input) {
      starts.addAll(guesses.inputs(inputs));
    }
    for (Map<String, @Nullable Object> values : starts) {
      Scene scene = Scene.start(chart, values);
      tries++;
      // A start that breaks what refuses it is bad input, as long as it is given any.
      boolean bad = scene != null && !values.isEmpty() && isRefused(scene);
      if (scene == null || bad || !fits(start, scene)) {
        continue;
      }
      List<Move> moves = new ArrayList<>();
      moves.add(new Move(values.isEmpty() ? null : new Stimulus.Start(values), scene));
      Optional<Realised> found = walk(hops, 1, moves, goal);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static boolean fits(Hop hop, Scene scene) {
    Configuration expected = hop.expected();
    return expected == null || expected.states().equals(scene.snapshot().configuration().states());
  }

  private Optional<Realised> walk(List<Hop> hops, int at, List<Move> moves, Predicate<Scene> goal) {
    Scene scene = moves.getLast().after();
    if (at == hops.size()) {
      return goal.test(scene) ? play(moves, goal) : Optional.empty();
    }
    Hop hop = hops.get(at);
    if (hop.occurrence() instanceof Occurrence.Delivered) {
      return walk(hops, at + 1, moves, goal); // What it sent to itself has arrived already.
    }
    for (Move move : moves(hop, scene)) {
      if (!fits(hop, move.after())) {
        continue;
      }
      moves.add(move);
      Optional<Realised> found = walk(hops, at + 1, moves, goal);
      if (found.isPresent()) {
        return found;
      }
      moves.removeLast();
      if (tries > MOST_TRIES) {
        break;
      }
    }
    return Optional.empty();
  }

  private List<Move> moves(Hop hop, Scene scene) {
    List<Move> possible = new ArrayList<>();
    if (hop.occurrence() instanceof Occurrence.Due(String id, String event)) {
      for (Timer timer : scene.snapshot().memory().timers()) {
        boolean same =
            id.startsWith("send:")
                ? timer.id().startsWith("send:") && timer.message().event().name().equals(event)
                : timer.id().equals(id);
        Scene after = same ? scene.fired(timer) : null;
        tries++;
        if (after != null) {
          possible.add(new Move(null, after));
        }
      }
      return possible;
    }
    possible.addAll(sends(hop, scene, 0));
    for (long pause : pauses(scene)) {
      Scene later = scene.later(pause);
      if (later != null) {
        possible.addAll(sends(hop, later, pause));
      }
    }
    return possible;
  }

  private List<Move> sends(Hop hop, Scene scene, long pause) {
    List<Move> possible = new ArrayList<>();
    if (hop.occurrence() instanceof Occurrence.Cancelled) {
      return possible; // An end from outside is no event.
    }
    if (hop.occurrence() instanceof Occurrence.Echoed(String event)
        && alphabet.isFromInside(event)) {
      return possible; // Nobody but the instance itself could send it.
    }
    for (Stimulus.Send send : guesses.sends(hop.occurrence().text(), scene, hop.cause())) {
      tries++;
      Scene after = scene.after(send);
      if (after != null) {
        possible.add(new Move(send, after, pause));
      } else if (hop.occurrence().isUsedUp()) {
        possible.add(new Move(send, scene.unmoved(), pause));
      }
    }
    return possible;
  }

  /** How long it is until the moments that the context names, where conditions ask for the time. */
  private List<Long> pauses(Scene scene) {
    List<Long> pauses = new ArrayList<>();
    Context context = scene.snapshot().context();
    for (int i = 0; guesses.isTimed() && i < context.layout().size(); i++) {
      if (context.slot(i) instanceof Long moment
          && moment > scene.now()
          && moment - scene.now() < LONGEST_PAUSE) {
        pauses.add(moment - scene.now());
      }
    }
    return pauses;
  }

  /** Finds times for the moves and plays them on a clock. */
  private Optional<Realised> play(List<Move> moves, Predicate<Scene> goal) {
    Optional<long[]> times = schedule(moves).times();
    if (times.isEmpty()) {
      return Optional.empty();
    }
    List<Stimulus> sequence = new ArrayList<>();
    if (moves.getFirst().stimulus() instanceof Stimulus.Start start) {
      sequence.add(start);
    }
    for (int i = 1; i < moves.size(); i++) {
      long wait = times.get()[i] - times.get()[i - 1];
      Stimulus stimulus = moves.get(i).stimulus();
      if (wait > 0 || stimulus == null) {
        sequence.add(new Stimulus.Wait(Duration.ofMillis(wait)));
      }
      if (stimulus != null) {
        sequence.add(stimulus);
      }
    }
    return play(merged(sequence), goal, moves.getFirst());
  }

  /** Waits in a row are one wait. */
  private static List<Stimulus> merged(List<Stimulus> sequence) {
    List<Stimulus> merged = new ArrayList<>();
    for (Stimulus stimulus : sequence) {
      if (stimulus instanceof Stimulus.Wait(Duration more)
          && !merged.isEmpty()
          && merged.getLast() instanceof Stimulus.Wait(Duration time)) {
        merged.removeLast();
        merged.add(new Stimulus.Wait(time.plus(more)));
      } else {
        merged.add(stimulus);
      }
    }
    return merged;
  }

  private Optional<Realised> play(List<Stimulus> sequence, Predicate<Scene> goal, Move first) {
    Map<String, @Nullable Object> input =
        first.stimulus() instanceof Stimulus.Start(Map<String, @Nullable Object> given)
            ? given
            : Map.of();
    Scene scene = Scene.start(chart, input);
    if (scene == null) {
      return Optional.empty();
    }
    List<Stimulus> played = new ArrayList<>();
    for (Stimulus stimulus : sequence) {
      if (stimulus instanceof Stimulus.Start) {
        played.add(stimulus);
        continue;
      }
      if (isRefused(scene)) {
        break; // The machine as it was written stops here.
      }
      Scene after = scene.after(stimulus);
      boolean usedUp =
          stimulus instanceof Stimulus.Send send && alphabet.isFromInside(send.event());
      if (after == null && !usedUp) {
        return Optional.empty();
      }
      scene = after == null ? scene.unmoved() : after;
      played.add(stimulus);
    }
    return goal.test(scene)
        ? Optional.of(new Realised(List.copyOf(played), scene))
        : Optional.empty();
  }

  /** Whether the last stimulus broke the invariant in a step that nothing else refuses. */
  boolean breaks(Scene scene, String invariant) {
    for (Step step : scene.steps()) {
      List<String> broken = step.violations().stream().map(Step.Violation::invariant).toList();
      boolean refused = broken.stream().anyMatch(fatal::contains);
      if (broken.contains(invariant) && (!refused || fatal.contains(invariant))) {
        return true;
      }
      if (refused) {
        return false;
      }
    }
    return false;
  }

  /** Whether a start was found that the machine accepts. */
  boolean starts() {
    List<Map<String, @Nullable Object>> starts = new ArrayList<>(List.of(Map.of()));
    starts.addAll(guesses.inputs(inputs));
    for (Map<String, @Nullable Object> values : starts) {
      Scene scene = Scene.start(chart, values);
      if (scene != null && !isRefused(scene)) {
        return true;
      }
    }
    return false;
  }

  private boolean isRefused(Scene scene) {
    for (Step step : scene.steps()) {
      if (step.violations().stream().anyMatch(v -> fatal.contains(v.invariant()))) {
        return true;
      }
    }
    return false;
  }

  /** A pending timer: the step that scheduled it, how long it waits, and its turn. */
  private record Waiting(int since, long delay, int turn) {}

  private Schedule schedule(List<Move> moves) {
    Schedule schedule = new Schedule(moves.size());
    Map<String, Waiting> waiting = new HashMap<>();
    int turn = 0;
    for (int i = 0; i < moves.size(); i++) {
      Scene scene = moves.get(i).after();
      if (moves.get(i).pause() > 0) {
        schedule.atLeast(i - 1, i, moves.get(i).pause());
      }
      Waiting fired = null;
      for (Step step : scene.steps()) {
        for (TimerChange change : step.timers()) {
          switch (change) {
            case TimerChange.Scheduled(Timer timer) ->
                waiting.put(
                    timer.id(), new Waiting(i, Math.max(0, timer.due() - scene.now()), turn++));
            case TimerChange.Cancelled(String id) -> {
              Waiting cancelled = waiting.remove(id);
              if (cancelled != null && cancelled.since() < i) {
                before(schedule, cancelled, i, fired);
              }
            }
            case TimerChange.Fired(String id) -> {
              fired = waiting.remove(id);
              if (fired != null) {
                schedule.exactly(fired.since(), i, fired.delay());
              }
            }
          }
        }
      }
      for (Waiting still : waiting.values()) {
        if (still.since() < i) {
          before(schedule, still, i, fired);
        }
      }
    }
    return schedule;
  }

  /** The step comes before the timer falls due, or with it when the order allows that. */
  private static void before(Schedule schedule, Waiting timer, int step, @Nullable Waiting fired) {
    boolean together = fired != null && fired.turn() < timer.turn();
    schedule.atMost(timer.since(), step, together ? timer.delay() : timer.delay() - 1);
  }
}
