package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Shows problems: to a person with the line and a caret, to a program as lines of JSON. */
record ProblemPrinter(PrintWriter out, boolean asJson) {

  void print(Source source, List<Problem> problems) {
    for (Problem problem : problems) {
      if (asJson) {
        out.println(Json.text(json(problem)));
      } else {
        out.print(problem.render(source));
      }
    }
    out.flush();
  }

  static Map<String, Object> json(Problem problem) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("code", problem.code());
    value.put("severity", problem.severity().name().toLowerCase(Locale.ROOT));
    value.put("line", problem.place().line());
    value.put("column", problem.place().column());
    value.put("message", problem.message());
    value.put("hint", problem.hint());
    return value;
  }
}
