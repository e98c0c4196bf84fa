package dev.signalbox.services.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One trace over the caller, the step, the effect and its result. */
class TracingTest {
  @TempDir Path folder;
  private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                  .build())
          .build();
  private final Tracer tracer = telemetry.getTracer("caller");

  private Signalbox open() {
    Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
    box.publish(
        MachineReader.read(
            new Source(
                "bell.yaml",
                """
                machine: bell
                states:
                  QUIET:
                    waits: for someone
                    on: { ring: { to: RINGING, do: [ { perform: { effect: hammer } } ] } }
                  RINGING:
                    waits: for the hammer
                    on:
                      hammer.succeeded: { to: ECHO, do: [ { perform: { effect: echo } } ] }
                      hammer.failed: QUIET
                      hammer.unknown: QUIET
                  ECHO:
                    waits: for the echo
                    on: { echo.succeeded: QUIET, echo.failed: QUIET, echo.unknown: QUIET }
                """)));
    return box;
  }

  private SpanData span(String name, int which) {
    return exporter.getFinishedSpanItems().stream()
        .filter(s -> s.getName().equals(name))
        .toList()
        .get(which);
  }

  @Test
  void one_trace_joins_caller_step_effect_and_result() throws Exception {
    CompletableFuture<Boolean> quiet = new CompletableFuture<>();
    List<String> seenInside = new ArrayList<>();
    String id;
    try (Signalbox box = open()) {
      try (Tracing tracing = new Tracing(box, telemetry);
          var _ =
              box.feed()
                  .onCommit(() -> {
                    for (FeedEntry entry : box.feed().read(0, 100)) {
                      if (entry.eventName().equals("echo.succeeded")) {
                        quiet.complete(true);
                      }
                    }
                  })) {
        for (String effect : List.of("hammer", "echo")) {
          box.handle(
              effect,
              tracing.traced(_ -> {
                seenInside.add(Span.current().getSpanContext().getTraceId());
                return Outcome.succeeded();
              }));
        }
        box.aroundCommands(tracing::around);
        id = box.start("bell", Map.of()).id();
        Span caller = tracer.spanBuilder("caller").startSpan();
        try (Scope _ = caller.makeCurrent()) {
          assertThat(box.submit(Command.Send.of(id, "ring", null)))
              .isInstanceOf(Reply.Accepted.class);
        } finally {
          caller.end();
        }
        assertThat(quiet.get(20, TimeUnit.SECONDS)).isTrue();
      }
      SpanData caller = span("caller", 0);
      SpanData step = span("signalbox.step", 0);
      SpanData effect = span("signalbox.effect", 0);
      SpanData result = span("signalbox.result", 0);
      assertThat(step.getParentSpanId()).isEqualTo(caller.getSpanId());
      assertThat(effect.getParentSpanId()).isEqualTo(step.getSpanId());
      assertThat(result.getParentSpanId()).isEqualTo(step.getSpanId());
      assertThat(result.getLinks().getFirst().getSpanContext().getSpanId())
          .isEqualTo(effect.getSpanId());
      SpanData second = span("signalbox.effect", 1);
      assertThat(second.getParentSpanId()).isEqualTo(step.getSpanId());
      assertThat(exporter.getFinishedSpanItems())
          .hasSize(6)
          .extracting(SpanData::getTraceId)
          .containsOnly(caller.getTraceId());
      assertThat(seenInside).containsOnly(caller.getTraceId()).hasSize(2);
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void an_effect_that_is_done_after_a_restart_is_in_the_callers_trace() throws Exception {
    String id;
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    try (Signalbox box = open()) {
      id = box.start("bell", Map.of()).id();
      assertThat(box.submit(Command.Send.of(id, "ring", null).traced(parent)))
          .isInstanceOf(Reply.Accepted.class);
    }
    CompletableFuture<String> trace = new CompletableFuture<>();
    try (Signalbox box = open();
        Tracing tracing = new Tracing(box, telemetry)) {
      box.handle(
          "hammer",
          tracing.traced(_ -> {
            trace.complete(Span.current().getSpanContext().getTraceId());
            return Outcome.succeeded();
          }));
      assertThat(trace.get(20, TimeUnit.SECONDS)).isEqualTo("0af7651916cd43dd8448eb211c80319c");
    }
  }

  @Test
  void what_is_no_traceparent_is_left_out_and_stops_nothing() {
    try (Signalbox box = open()) {
      assertThat(
              box.submit(
                  new Command.Start("bell", "b-1", Map.of(), Actor.SYSTEM, null, "\"},hello")))
          .isInstanceOf(Reply.Accepted.class);
      assertThat(box.submit(Command.Send.of("b-1", "nonsense", null).traced("00-xyz")))
          .isInstanceOf(Reply.Rejected.class);
      assertThat(
              box.submit(
                  Command.Send.of("b-1", "nonsense", Map.of("a", 1))
                      .traced("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")))
          .isInstanceOf(Reply.Rejected.class);
      List<FeedEntry> entries = box.feed().read(0, 10);
      assertThat(entries.get(0).body()).doesNotContainKey("trace");
      assertThat(entries.get(1).body()).doesNotContainKey("trace");
      assertThat(Objects.requireNonNull(entries.get(2).body().get("trace")))
          .isEqualTo("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void what_nobody_asked_for_has_no_span_and_a_caller_without_a_trace_begins_one() {
    try (Signalbox box = open();
        Tracing tracing = new Tracing(box, telemetry)) {
      box.aroundCommands(tracing::around);
      assertThat(box.submit(new Command.Start("bell", "b-1", Map.of(), Actor.SYSTEM, null)))
          .isInstanceOf(Reply.Accepted.class);
      assertThat(exporter.getFinishedSpanItems()).isEmpty();
      assertThat(CallerTrace.of(null).during(() -> box.send("b-1", "ring")))
          .isInstanceOf(Reply.Accepted.class);
      SpanData step = span("signalbox.step", 0);
      assertThat(step.getParentSpanContext().isValid()).isFalse();
      assertThat(Objects.requireNonNull(box.feed().read(0, 10).get(1).body().get("trace")))
          .isEqualTo(Traceparent.of(step.getSpanContext()));
    }
  }

  @Test
  void every_command_keeps_the_trace_of_whom_its_thread_works_for() {
    String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    String own = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    try (Signalbox box = open()) {
      box.publish(MachineReader.read(new Source("bell.yaml", NEWER)));
      CallerTrace.of(parent)
          .run(() -> {
            for (Command command :
                List.of(
                    new Command.Start("bell@1", "b-1", Map.of(), Actor.SYSTEM, null),
                    Command.Send.of("b-1", "nonsense", null),
                    new Command.Pause("b-1", Command.Clocks.STOPPED, Actor.SYSTEM, null),
                    new Command.Migrate("b-1", 2, Map.of(), Actor.SYSTEM, null),
                    new Command.Resume("b-1", Actor.SYSTEM, null),
                    new Command.Fork("b-1", 1, "b-2", Actor.SYSTEM, null),
                    new Command.Cancel("b-1", Actor.SYSTEM, null),
                    Command.Send.of("b-2", "ring", null).traced(own))) {
              var _ = box.submit(command);
            }
          });
      assertThat(box.feed().read(0, 20))
          .extracting(entry -> entry.kind() + " " + entry.body().get("trace"))
          .containsExactly(
              "start " + parent,
              "refusal " + parent,
              "pause " + parent,
              "migrate " + parent,
              "resume " + parent,
              "fork " + parent,
              "cancel " + parent,
              "event " + own);
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    }
  }

  private static final String NEWER =
      """
      machine: bell
      version: 2
      states:
        QUIET:
          waits: for someone
          on: { ring: RINGING }
        RINGING: { final: true }
      """;
}
