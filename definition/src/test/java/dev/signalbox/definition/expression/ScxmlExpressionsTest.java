package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expressions as SCXML documents write them, each with its value; a dash stands for a failure. */
class ScxmlExpressionsTest {

  private static Workbench bench() {
    Map<String, Object> data = new HashMap<>();
    data.put("aParam", 1L);
    data.put("Var1", "x");
    data.put("none", null);
    return Workbench.scxml("Var1", "Var2", "Var3", "Var4", "foo", "_x")
        .with("Var1", 1L)
        .with("Var2", "send1")
        .with("Var3", List.of(1L, 2L, 3L))
        .with("Var4", null)
        .at(
            new Event(
                "error.execution",
                Event.Kind.PLATFORM,
                data,
                null,
                "send1",
                null,
                Roots.PROCESSOR,
                null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'pass'                                             | pass",
        "0                                                  | 0",
        "data.Var1 + 1                                      | 2",
        "data.Var1 + data.Var2                              | -",
        "data.Var3 + [4]                                    | [1, 2, 3, 4]",
        "data.Var3[data.Var1]                               | 2",
        "data.Var1 == 1                                     | true",
        "data.Var1 == data.Var2                             | false",
        "data.Var1 < data.Var3[2]                           | true",
        "(has(data.Var1) && data.Var1 != null)              | true",
        "(has(data.Var4) && data.Var4 != null)              | false",
        "!(has(data.foo) && data.foo != null)               | true",
        "has(data.undeclared)                               | false",
        "data.undeclared                                    | -",
        "data.foo                                           | -",
        "data.foo.bar.baz                                   | -",
        "undeclared == 1                                    | -",
        "undeclared()                                       | -",
        "data.Var2.startsWith('send')                       | true",
        "data.Var2 == 'send1'                               | true",
        "1 / 0                                              | -",
        "false                                              | false",
        "_event != null                                     | true",
        "_event.name == 'error.execution'                   | true",
        "_event.type                                        | platform",
        "_event.sendid                                      | send1",
        "_event.sendid == data.Var2                         | true",
        "_event.origin                                      | null",
        "!(has(_event.origin) && _event.origin != null)     | true",
        "_event.origintype.endsWith('#SCXMLEventProcessor') | true",
        "_event.invokeid == null                            | true",
        "_event.data.aParam                                 | 1",
        "_event.data.none == null                           | true",
        "_event.data.other                                  | -",
        "has(_event.data.other)                             | false",
        "_event.other                                       | -",
        "_name + _sessionid                                 | benchi-1",
        "'scxml' in _ioprocessors                           | true",
        "_ioprocessors.scxml.location                       | #_scxml_i-1",
        "In('IDLE')                                         | true",
        "In('BUSY')                                         | false",
        "In('nowhere')                                      | false",
        "'#_scxml_' + _sessionid                            | #_scxml_i-1",
        "data.Var3.exists(x, x == data.Var1)                | true",
        "data.Var3.map(x, x * 10)                           | [10, 20, 30]",
        "size(data.Var3) == 3 ? 'three' : 'other'           | three"
      })
  void has_the_value_that_scxml_gives_it(String text, String value) {
    Workbench bench = bench();
    Object actual;
    try {
      actual = bench.eval(text);
    } catch (EvaluationException e) {
      actual = "-";
    }
    assertThat(String.valueOf(actual)).isEqualTo(value);
  }
}
