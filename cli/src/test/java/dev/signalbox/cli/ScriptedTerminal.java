package dev.signalbox.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A terminal at which everything was typed before. */
final class ScriptedTerminal implements Terminal {
  private final Deque<String> typed = new ArrayDeque<>();
  final List<String> shown = new ArrayList<>();

  ScriptedTerminal(String... typed) {
    this.typed.addAll(Arrays.asList(typed));
  }

  @Override
  public boolean isThere() {
    return true;
  }

  @Override
  public @Nullable String ask(String question) {
    shown.add(question);
    return typed.poll();
  }

  @Override
  public char @Nullable [] askSecretly(String question) {
    String answer = ask(question);
    return answer == null ? null : answer.toCharArray();
  }

  @Override
  public void tell(String text) {
    shown.add(text);
  }
}
