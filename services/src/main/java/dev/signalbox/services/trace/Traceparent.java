package dev.signalbox.services.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/** The header of W3C Trace Context, as a text and as a span's context. */
public final class Traceparent {
  private Traceparent() {}

  /** The text of a span, or null when it is none that can be continued. */
  public static @Nullable String of(SpanContext span) {
    return span.isValid()
        ? "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex()
        : null;
  }

  /** A context whose span is the one of the text; the given one when the text is none. */
  public static Context in(Context context, @Nullable String text) {
    if (text == null || text.length() < 55) {
      return context;
    }
    SpanContext span =
        SpanContext.createFromRemoteParent(
            text.substring(3, 35),
            text.substring(36, 52),
            TraceFlags.fromHex(text, 53),
            TraceState.getDefault());
    return span.isValid() ? context.with(Span.wrap(span)) : context;
  }
}
