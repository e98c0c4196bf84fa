package dev.signalbox.services.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.services.evidence.EvidenceStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlerToolTest {
  @TempDir Path folder;

  @Test
  void a_function_is_a_tool() throws Exception {
    HandlerTool tool =
        HandlerTool.of(
            "upper",
            Map.of("version", 1),
            (call, evidence) ->
                ToolResult.pass(
                    List.of(evidence.put("text", String.valueOf(call.arguments().get("text")))),
                    "done"));
    ToolCall call = ToolCall.of("k", "t", Map.of("text", "x"), folder);
    assertThat(tool.run(call, store()).status()).isEqualTo(ToolStatus.PASS);
    assertThat(tool.identity(call))
        .isEqualTo(Map.of("kind", "handler", "handler", "upper", "of", Map.of("version", 1L)));
  }

  @Test
  void an_exception_is_a_fail_that_tells_nothing_of_its_message() throws Exception {
    HandlerTool tool =
        HandlerTool.of(
            "bad",
            Map.of(),
            (_, _) -> {
              throw new IllegalStateException("password=hunter2");
            });
    ToolResult result = tool.run(ToolCall.of("k", "t", Map.of(), folder), store());
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.message()).contains("IllegalStateException").doesNotContain("hunter2");
  }

  @Test
  void a_function_is_interrupted_when_its_time_is_over_or_its_caller_is() throws Exception {
    CountDownLatch began = new CountDownLatch(2);
    CountDownLatch interrupted = new CountDownLatch(2);
    HandlerTool tool =
        HandlerTool.of(
            "slow",
            Map.of(),
            (_, _) -> {
              began.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                interrupted.countDown();
                throw e;
              }
              return ToolResult.fail(List.of(), "");
            });
    ToolCall call = ToolCall.of("k", "t", Map.of(), folder);
    ToolResult late = tool.run(call.within(new ToolLimits(Duration.ofMillis(200), 1)), store());
    assertThat(late.message()).contains("within PT0.2S", "was interrupted");
    assertThat(interrupted.getCount()).isEqualTo(1);
    CompletableFuture<ToolResult> result = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              try {
                result.complete(tool.run(call, store()));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    began.await();
    thread.interrupt();
    assertThatThrownBy(result::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(interrupted.getCount()).isZero();
  }

  @Test
  void a_pass_without_evidence_can_not_be_made() {
    assertThatThrownBy(() -> ToolResult.pass(List.of(), "great"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has none");
    assertThatThrownBy(() -> ToolResult.of(Map.of("status", "pass")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_call_is_what_it_was_made_of() {
    Map<String, Object> arguments = new java.util.HashMap<>(Map.of("a", 1, "b", List.of("x")));
    ToolCall call = ToolCall.of("k", "t", arguments, folder);
    String before = call.canonical();
    arguments.put("a", 2);
    assertThat(call.canonical()).isEqualTo(before);
    assertThat(call.argumentsDigest())
        .isNotEqualTo(ToolCall.of("k", "t", arguments, folder).argumentsDigest());
    assertThatThrownBy(() -> ToolCall.of("k", "t", Map.of(), Path.of("relative")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ToolCall.of(" ", "t", Map.of(), folder))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ToolCall.of("k", "t", Map.of("n", 1L << 60), folder))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private EvidenceStore store() {
    return EvidenceStore.open(folder.resolve("evidence"));
  }
}
