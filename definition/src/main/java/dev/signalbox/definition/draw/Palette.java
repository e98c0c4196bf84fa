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

  /** What does not depend on the colours. */
  static final String SHAPES =
      """
      @ text{font:11.5px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif}
      @ .heading{font-size:15px;font-weight:600}
      @ .version{font-weight:400}
      @ .name{font-size:13px;font-weight:600}
      @ .note{font-size:11px}
      @ .figure{font-size:10px;font-weight:600}
      @ .body,@ .inner,@ .rule{fill:none;stroke-width:1.3}
      @ .line{fill:none;stroke-width:1.4;stroke-linejoin:round}
      @ .branch .line,@ .default .line,@ .initial .line{stroke-width:1.2}
      @ .timed .line,@ .missing .body{stroke-dasharray:5 3}
      @ .any .body{stroke-dasharray:2 3}
      @ .divider{fill:none;stroke-width:1.2;stroke-dasharray:6 4}
      @ .clock{fill:none;stroke-width:1.1;stroke-linecap:round}
      @ .rows .line,@ .rows .head{opacity:.4}
      @ .visited>.body{stroke-width:2}
      @ .visited>.line{stroke-width:2.2}
      @ .active>.body{stroke-width:3}
      @ .empty{display:none}
      """
          .replace("@", ".signalbox-drawing");

  /** The rules that give the shapes of a drawing of the theme their colours. */
  String css(String theme) {
    return """
    @ .canvas,@ .plate{fill:$canvas}
    @ text,@ .solid{fill:$ink}
    @ .note,@ .version,@ .caption,@ .region>.name{fill:$soft}
    @ .body{fill:$fill;stroke:$frame}
    @ .group>.body{fill:$canvas}
    @ .bar{fill:$bar}
    @ .pill{fill:$bar;stroke:$frame}
    @ .inner,@ .rule,@ .divider{stroke:$frame}
    @ .line{stroke:$line}
    @ .head{fill:$line}
    @ .guard{fill:$guard}
    @ .timer,@ .timed>.head{fill:$timer}
    @ .clock,@ .timed>.line{stroke:$timer}
    @ .visited>.body,@ .visited>.line{stroke:$visited}
    @ .visited>.head{fill:$visited}
    @ .active>.body{fill:$lit;stroke:$active}
    @ .active.group>.body{fill:$canvas}
    @ .missing>.body{stroke:$ghost}
    @ .missing>.name{fill:$ghost}
    """
        .replace("@", ".signalbox-drawing." + theme)
        .replace("$canvas", canvas)
        .replace("$ink", ink)
        .replace("$soft", soft)
        .replace("$frame", frame)
        .replace("$fill", fill)
        .replace("$bar", bar)
        .replace("$line", line)
        .replace("$guard", guard)
        .replace("$timer", timer)
        .replace("$active", active)
        .replace("$lit", activeFill)
        .replace("$visited", visited)
        .replace("$ghost", ghost);
  }
}
