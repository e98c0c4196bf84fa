package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.machine.Type;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyntaxFaultsTest {
  private final Workbench bench = Workbench.strict(Workbench.field("ready", Type.BOOL));

  @Test
  void nothing_is_not_an_expression() {
    assertThat(bench.fault("")).isEqualTo("Expected an expression, but there is none. @ 0");
    assertThat(bench.fault(" \n")).isEqualTo("Expected an expression, but there is none. @ 0");
  }

  @Test
  void a_missing_operand_is_named() {
    assertThat(bench.fault("1 +")).isEqualTo("Expected a value, but the text ends. @ 3");
    assertThat(bench.fault("1 + * 2")).isEqualTo("Expected a value, but found `*`. @ 4");
  }

  @Test
  void what_follows_the_end_is_named() {
    assertThat(bench.fault("ctx.ready true"))
        .isEqualTo("Expected an operator or the end, but found `true`. @ 10");
  }

  @Test
  void an_open_bracket_is_named() {
    assertThat(bench.fault("(ctx.ready")).isEqualTo("Expected `)`, but the text ends. @ 10");
    assertThat(bench.fault("[1, 2")).startsWith("Expected `]`, but the text ends.");
    assertThat(bench.fault("{'a' 1}")).isEqualTo("Expected `:`, but found `1`. @ 5");
    assertThat(bench.fault("true ? 1")).isEqualTo("Expected `:`, but the text ends. @ 8");
  }

  @Test
  void the_operators_of_other_languages_are_translated() {
    assertThat(bench.fault("ctx.ready = true"))
        .isEqualTo("Expected an operator or a value, but found `=`. Write `==` to compare. @ 10");
    assertThat(bench.fault("ctx.ready & true"))
        .isEqualTo("Expected an operator or a value, but found `&`. Write `&&`. @ 10");
    assertThat(bench.fault("ctx.ready and true"))
        .isEqualTo("Expected an operator or the end, but found `and`. Write `&&`. @ 10");
    assertThat(bench.fault("not ctx.ready"))
        .isEqualTo("Expected an operator or the end, but found `ctx`. Write `!`. @ 4");
  }

  @Test
  void a_broken_string_is_named() {
    assertThat(bench.fault("'abc"))
        .isEqualTo("Expected the string 'abc to be closed, but it is not. @ 0");
    assertThat(bench.fault("'a\\qb'"))
        .isEqualTo(
            "Expected a string with valid escapes, but 'a\\q is none."
                + " Write \\\\ for a backslash. @ 0");
  }

  @Test
  void a_number_must_fit() {
    assertThat(bench.fault("99999999999999999999 > 1"))
        .isEqualTo("Expected a number of 64 bits, but `99999999999999999999` is none. @ 0");
  }

  @Test
  void a_dot_needs_a_name_behind_it() {
    assertThat(bench.fault("ctx."))
        .isEqualTo("Expected a name after the dot, but there is none. @ 4");
  }

  @Test
  void reserved_words_are_no_names() {
    assertThat(bench.fault("if")).isEqualTo("Expected a name, but `if` is a reserved word. @ 0");
  }

  @Test
  void there_are_no_messages_of_protocol_buffers() {
    assertThat(bench.fault("M{a: 1} == 1"))
        .isEqualTo("Expected a map in braces, but `M` stands before them. @ 1");
  }

  @Test
  void a_text_has_a_greatest_length() {
    assertThat(bench.fault("1".repeat(10_001)))
        .isEqualTo(
            "Expected an expression of at most 10,000 characters, but it has 10,001. @ 10000");
  }

  @Test
  void however_deep_a_text_is_it_is_refused_in_words() throws InterruptedException {
    List<String> deep =
        List.of(
            "(".repeat(3_000) + "1" + ")".repeat(3_000),
            "[".repeat(5_000),
            "{1:".repeat(3_000),
            "1" + "+1".repeat(4_900),
            "a?b:".repeat(2_400) + "c",
            "a" + "[0]".repeat(3_000),
            "a" + ".b".repeat(4_000),
            "a" + ".b()".repeat(2_000),
            "f(".repeat(4_000));
    for (String text : deep) {
      for (long stack : new long[] {1 << 18, 1 << 20}) {
        String[] fault = new String[1];
        Thread small = new Thread(null, () -> fault[0] = bench.fault(text), "small", stack);
        small.start();
        small.join();
        assertThat(fault[0])
            .isEqualTo(
                "Expected an expression of at most 100 levels, but this one goes deeper."
                    + " Split it. @ -1");
      }
    }
  }

  @Test
  void many_conditions_side_by_side_are_not_deep() {
    assertThat(bench.fault("ctx.ready" + " && ctx.ready".repeat(700))).isEqualTo("none");
  }

  @Test
  void macros_have_one_form() {
    assertThat(bench.fault("has(ctx)"))
        .isEqualTo("Expected `has(x.field)`, but its argument is not a field after a dot. @ 0");
    assertThat(bench.fault("[1].all(1, true)"))
        .isEqualTo("Expected `list.all(name, condition)`, but it is written otherwise. @ 4");
    assertThat(bench.fault("[1].map(x)"))
        .isEqualTo("Expected `list.map(name, value)`, but it is written otherwise. @ 4");
  }

  @Test
  void functions_have_a_number_of_arguments() {
    assertThat(bench.fault("size(1, 2) == 1"))
        .isEqualTo("Expected `size(x)`, but it is called with 2 arguments. @ 0");
    assertThat(bench.fault("'a'.contains()"))
        .isEqualTo("Expected `x.contains(y)`, but it is called with 0 arguments after a dot. @ 4");
  }

  @Test
  void an_offset_counts_characters() {
    assertThat(bench.fault("'a😀' == ctx.redy"))
        .isEqualTo(
            "Expected a declared field, but `ctx.redy` is none."
                + " Did you mean `ctx.ready`? @ 13");
  }
}
