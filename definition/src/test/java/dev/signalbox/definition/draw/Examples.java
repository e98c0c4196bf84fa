package dev.signalbox.definition.draw;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Machines that show what a picture can hold. */
public final class Examples {
  private Examples() {}

  static Machine machine(String name, State root) {
    return new Machine(
        name, 1, Machine.Mode.STRICT, null, List.of(), List.of(), root, List.of(), Limits.DEFAULT);
  }

  static State.Builder root() {
    return State.named(Machine.ROOT);
  }

  static Transition after(Duration delay, String target) {
    return new Transition(
        new Trigger.After(Operand.literal(delay), null, false),
        null,
        List.of(target),
        false,
        List.of(),
        null);
  }

  /** Nested states, regions, both histories, points, notes, a timer, self loops. */
  static Machine player() {
    Action.Emit emit = new Action.Emit("track_started", Payload.NONE);
    Action.Perform perform = new Action.Perform("load_track", "load_track", true, Payload.NONE);
    State playback =
        State.named("playback")
            .child(
                State.named("loading")
                    .onEntry(List.of(perform))
                    .transition(Transition.on("load_track.succeeded", "playing"))
                    .transition(Transition.on("load_track.failed", "which"))
                    .transition(after(Duration.ofSeconds(20), "which"))
                    .build())
            .child(
                State.named("playing")
                    .onEntry(List.of(emit))
                    .transition(Transition.on("pause", "paused"))
                    .transition(Transition.on("seek", "playing"))
                    .transition(Transition.on("over", "playback$end"))
                    .transition(
                        new Transition(
                            Trigger.on("tick"),
                            null,
                            List.of(),
                            false,
                            List.of(new Action.Assign("position", Operand.expr("event.at"))),
                            null))
                    .note("Sound comes out.")
                    .build())
            .child(
                State.named("paused")
                    .transition(Transition.on("play", "playing"))
                    .transition(after(Duration.ofMinutes(30), "off"))
                    .build())
            .child(
                State.named("which")
                    .kind(Kind.CHOICE)
                    .transition(
                        Transition.to("loading")
                            .when(new Guard("under_3", Operand.expr("ctx.n < 3"))))
                    .transition(Transition.to("broken"))
                    .build())
            .child(State.named("playback$end").kind(Kind.FINAL).build())
            .build();
    State controls =
        State.named("active.region2")
            .child(
                State.named("visible").transition(after(Duration.ofSeconds(5), "hidden")).build())
            .child(State.named("hidden").transition(Transition.on("touch", "visible")).build())
            .build();
    State active =
        State.named("active")
            .kind(Kind.PARALLEL)
            .child(playback)
            .child(controls)
            .child(
                State.named("last")
                    .kind(Kind.DEEP_HISTORY)
                    .initial(Transition.to("loading"))
                    .build())
            .invoke(Invoke.machine("sound", "sound_card", Payload.NONE))
            .transition(Transition.on("power", "off"))
            .transition(Transition.on("error", "broken"))
            .build();
    State off =
        State.named("off")
            .transition(Transition.on("power", "last"))
            .transition(
                new Transition(
                    Trigger.on("demo"), null, List.of("playing", "hidden"), false, List.of(), null))
            .build();
    State broken =
        State.named("broken")
            .tools(List.of("screwdriver"))
            .transition(Transition.on("repair", "off"))
            .transition(Transition.on("scrap", "$end"))
            .transition(
                new Transition(
                    Trigger.on("kick"),
                    Guard.of("ctx.kicks < 3 && ctx.mood == 'bad' && event.force > 10"),
                    List.of("off"),
                    false,
                    List.of(),
                    null))
            .build();
    return machine(
        "player",
        root()
            .child(off)
            .child(active)
            .child(broken)
            .child(State.named("$end").kind(Kind.FINAL).build())
            .build());
  }

  /** Targets that do not exist, two states with one id, a transition of the machine itself. */
  static Machine unsound() {
    return machine(
        "unsound",
        root()
            .initial(Transition.to("nowhere"))
            .transition(Transition.on("stop", "b"))
            .child(State.named("a").transition(Transition.on("go", "lost")).build())
            .child(State.named("b").kind(Kind.FINAL).build())
            .child(State.named("a").transition(Transition.on("go", "b")).build())
            .build());
  }

  /** Forks and joins, side by side with what they connect. */
  static Machine order() {
    return machine(
        "order",
        root()
            .child(State.named("placed").transition(Transition.on("accept", "split")).build())
            .child(
                State.named("split")
                    .kind(Kind.FORK)
                    .transition(Transition.to("packing"))
                    .transition(Transition.to("billing"))
                    .build())
            .child(State.named("packing").transition(Transition.on("packed", "both")).build())
            .child(State.named("billing").transition(Transition.on("paid", "both")).build())
            .child(
                State.named("both").kind(Kind.JOIN).transition(Transition.to("shipping")).build())
            .child(
                State.named("shipping")
                    .child(
                        State.named("waiting")
                            .transition(Transition.on("picked_up", "moving"))
                            .build())
                    .child(
                        State.named("moving").transition(Transition.on("arrived", "there")).build())
                    .child(State.named("there").kind(Kind.FINAL).build())
                    .child(
                        State.named("again")
                            .kind(Kind.SHALLOW_HISTORY)
                            .initial(Transition.to("waiting"))
                            .build())
                    .transition(Transition.on("hold", "held"))
                    .transition(Transition.on("done.state.shipping", "closed"))
                    .build())
            .child(State.named("held").transition(Transition.on("resume", "again")).build())
            .child(State.named("closed").kind(Kind.FINAL).build())
            .build());
  }

  static Map<String, Machine> all() {
    return new TreeMap<>(Map.of("player", player(), "unsound", unsound(), "order", order()));
  }

  /** Draws every example into a folder: {@code OUT [DARK] [RIGHT]}. */
  public static void main(String[] arguments) throws IOException {
    Options options = TransitionTable.options(List.of(arguments).subList(1, arguments.length));
    Path out = Files.createDirectories(Path.of(arguments[0]));
    for (Map.Entry<String, Machine> example : all().entrySet()) {
      String svg = Drawing.svg(example.getValue(), options);
      Files.writeString(out.resolve(example.getKey() + ".svg"), svg);
    }
  }
}
