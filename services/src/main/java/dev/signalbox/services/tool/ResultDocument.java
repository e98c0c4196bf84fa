package dev.signalbox.services.tool;

import dev.signalbox.definition.Json;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a process says of its own result, in a file: the fields of a result, and as evidence files
 * of its folder, which are stored.
 */
final class ResultDocument {
  private static final int MOST = 1 << 20;
  private static final int EACH = 4 << 20;

  private final Path file;
  private final Path folder;
  private final Redactor redactor;

  ResultDocument(Path file, Path folder, Redactor redactor) {
    this.file = file;
    this.folder = folder;
    this.redactor = redactor;
  }

  /**
   * The document with the evidence it names, after what was seen anyway; null when none was
   * written.
   *
   * @param exitCode what the process really ended with
   * @throws IllegalArgumentException when it is no such document
   */
  @Nullable ToolResult read(List<Evidence> seen, int exitCode, EvidenceStore store) {
    byte[] raw = bytes(file, MOST, "the result");
    if (raw == null) {
      return null;
    }
    Object value;
    try {
      value = Json.parse(new String(redactor.clean(raw), StandardCharsets.UTF_8));
    } catch (Json.SyntaxException e) {
      throw new IllegalArgumentException(
          "Expected JSON in the file of SIGNALBOX_RESULT, but found something else.");
    }
    if (!(value instanceof Map<?, ?> map) || map.containsKey("exit_code")) {
      throw new IllegalArgumentException(
          "Expected an object without 'exit_code' in the file of SIGNALBOX_RESULT, but found"
              + " something else.");
    }
    List<Object> evidence = new ArrayList<>();
    seen.forEach(piece -> evidence.add(piece.fields()));
    evidence.addAll(
        ResultFields.list(map.get("evidence"), "evidence", item -> stored(item, store).fields()));
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    map.forEach((name, field) -> fields.put(String.valueOf(name), field));
    fields.put("evidence", evidence);
    fields.put("exit_code", (long) exitCode);
    return ToolResult.of(fields);
  }

  private Evidence stored(@Nullable Object item, EvidenceStore store) {
    if (!(item instanceof Map<?, ?> map)
        || map.size() != 2
        || !(map.get("name") instanceof String name)
        || !(map.get("file") instanceof String path)) {
      throw new IllegalArgumentException(
          "Expected evidence in the file of SIGNALBOX_RESULT to have a 'name' and a 'file', but"
              + " found something else.");
    }
    byte[] bytes;
    try {
      Path real = folder.resolve(path).toRealPath();
      if (!real.startsWith(folder.toRealPath())) {
        throw new IllegalArgumentException(
            "Expected the file of evidence '%s' to lie in the tool's folder, but it lies outside."
                .formatted(name));
      }
      bytes = bytes(real, EACH, "evidence '%s'".formatted(name));
    } catch (IOException e) {
      bytes = null;
    }
    if (bytes == null) {
      throw new IllegalArgumentException(
          "Expected a file for evidence '%s', but there is none.".formatted(name));
    }
    return store.put(name, redactor.clean(bytes));
  }

  private static byte @Nullable [] bytes(Path file, int most, String what) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      bytes = in.readNBytes(most + 1);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Expected to read %s, but the disk refused.".formatted(what));
    }
    if (bytes.length > most) {
      throw new IllegalArgumentException(
          "Expected at most %,d bytes of %s, but there are more.".formatted(most, what));
    }
    return bytes;
  }
}
