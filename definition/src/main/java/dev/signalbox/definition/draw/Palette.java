package dev.signalbox.definition.draw;

/**
 * The colours of one theme. Words reach a contrast of 4.5 to 1 with what they stand on, lines and
 * frames 3 to 1 (WCAG 2.2, AA).
 */
record Palette(
    String canvas,
    String ink,
    String soft,
    String frame,
    String fill,
    String bar,
    String line,
    String guard,
    String timer,
    String active,
    String activeFill,
    String visited,
    String ghost) {

  static final Palette LIGHT =
      new Palette(
          "#ffffff", "#1b1f24", "#4b535d", "#6b7480", "#f4f6f9", "#e6eaf0", "#5b6470", "#6a32b0",
          "#8f4a00", "#0757b5", "#d6eaff", "#116329", "#b42318");

  static final Palette DARK =
      new Palette(
          "#0f1318", "#e8edf2", "#aeb7c2", "#7d8896", "#1a2027", "#272f39", "#98a2b0", "#cfa8ff",
          "#f0b046", "#6cb2ff", "#12345c", "#56c271", "#ff8a80");

  static final String FONTS =
      "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif";

  /** What does not depend on the colours. */
  static final String SHAPES =
      rules(
          "text", "font-family:" + FONTS + ";font-size:11.5px;stroke:none",
          ".heading", "font-size:15px;font-weight:600",
          ".version", "font-weight:400",
          ".name", "font-size:13px;font-weight:600",
          ".note", "font-size:11px",
          ".body,.inner,.line,.clock,.rule", "fill:none;stroke-width:1.3",
          ".line", "stroke-width:1.4;stroke-linejoin:round",
          ".divider", "fill:none;stroke-width:1.2;stroke-dasharray:6 4",
          ".timed .line", "stroke-dasharray:5 3",
          ".branch .line,.default .line,.initial .line", "stroke-width:1.2",
          ".clock", "stroke-width:1.1;stroke-linecap:round",
          ".missing .body", "stroke-dasharray:5 3",
          ".any .body", "stroke-dasharray:2 3",
          ".active>.body", "stroke-width:3",
          ".edge.visited .line", "stroke-width:2.2",
          ".empty", "display:none",
          ".figure", "font-size:10.5px;font-weight:600");

  /** The rules that give the shapes their colours. */
  String css() {
    return rules(
        ".canvas,.plate", "fill:" + canvas,
        "text", "fill:" + ink,
        ".note,.version,.region>.name,.caption", "fill:" + soft,
        ".body", "fill:" + fill + ";stroke:" + frame,
        ".group>.body", "fill:" + canvas,
        ".bar", "fill:" + bar,
        ".inner,.rule,.divider", "stroke:" + frame,
        ".solid", "fill:" + ink,
        ".line", "stroke:" + line,
        ".head", "fill:" + line,
        ".guard", "fill:" + guard,
        ".timer", "fill:" + timer,
        ".clock", "stroke:" + timer,
        ".timed .line", "stroke:" + timer,
        ".timed .head", "fill:" + timer,
        ".pill", "fill:" + bar + ";stroke:" + frame,
        ".state.visited>.body", "stroke:" + visited,
        ".edge.visited .line", "stroke:" + visited,
        ".edge.visited .head", "fill:" + visited,
        ".state.active>.body", "fill:" + activeFill + ";stroke:" + active,
        ".state.active>.bar", "fill:" + activeFill,
        ".state.active.group>.body", "fill:" + canvas,
        ".missing .body", "stroke:" + ghost,
        ".missing .name", "fill:" + ghost);
  }

  /** Selectors and declarations by turns, every selector confined to the drawing. */
  private static String rules(String... parts) {
    StringBuilder css = new StringBuilder();
    for (int i = 0; i < parts.length; i += 2) {
      String[] selectors = parts[i].split(",");
      for (int s = 0; s < selectors.length; s++) {
        css.append(s == 0 ? "" : ",").append(".signalbox-drawing ").append(selectors[s]);
      }
      css.append('{').append(parts[i + 1]).append("}\n");
    }
    return css.toString();
  }
}
