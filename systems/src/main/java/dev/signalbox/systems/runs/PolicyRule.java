package dev.signalbox.systems.runs;

import dev.signalbox.services.approval.Risk;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What makes a call risky.
 *
 * @param when a condition in CEL over {@code call}
 * @param risk how risky the call is then, at least
 * @param because in words, for whoever has to decide
 */
public record PolicyRule(String name, String when, Risk risk, String because) {

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("when", when);
    fields.put("risk", risk.word());
    fields.put("because", because);
    return fields;
  }

  static PolicyRule of(Map<String, Object> fields) {
    return new PolicyRule(
        Form.text(fields, "name"),
        Form.text(fields, "when"),
        Risk.valueOf(Form.text(fields, "risk").toUpperCase(Locale.ROOT)),
        Form.text(fields, "because"));
  }
}
