package dev.signalbox.kernel;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A compiled payload. */
record PayloadCode(String[] names, ValueCode[] values, @Nullable ValueCode content) {

  static final PayloadCode NONE = new PayloadCode(new String[0], new ValueCode[0], null);

  /** The data of what leaves the step; null when there is none. */
  @Nullable Object data(Run run) {
    return run.leaving(made(run));
  }

  /** The data of what stays inside the step; null when there is none. */
  @Nullable Object inside(Run run) {
    return run.staying(made(run));
  }

  /** A part without a value leaves no data at all. */
  private @Nullable Object made(Run run) {
    if (content != null) {
      return content.value(run);
    }
    if (names.length == 0) {
      return null;
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < names.length; i++) {
      map.put(names[i], values[i].value(run));
    }
    return Collections.unmodifiableMap(map);
  }

  /** The named values; a part without a value is reported and left out. */
  @Nullable Object dataOrWhatThereIs(Run run) {
    return run.staying(whatThereIs(run));
  }

  private @Nullable Object whatThereIs(Run run) {
    try {
      if (content != null) {
        return content.value(run);
      }
    } catch (EvaluationException e) {
      run.failed(e);
      return null;
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < names.length; i++) {
      try {
        map.put(names[i], values[i].value(run));
      } catch (EvaluationException e) {
        run.failed(e);
      }
    }
    return map.isEmpty() ? null : Collections.unmodifiableMap(map);
  }

  @SuppressWarnings("unchecked")
  Map<String, @Nullable Object> map(Run run) {
    return data(run) instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
  }
}
