package dev.signalbox.systems.runs.file;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.Sha256;
import dev.signalbox.systems.Values;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The files of one run, as far as they are written. */
final class Book {
  static final String STATE = "RUN_STATE.json";
  static final String LOG = "RUN_LOG.jsonl";
  static final String PENDING = "PENDING";

  private static final int PAGE = 500;

  private final Path folder;
  private final String run;
  private final StateDocument document;
  private final AppendedFile log;
  private String head;
  private long sequence;

  private Book(
      Path folder,
      String run,
      StateDocument document,
      AppendedFile log,
      String head,
      long sequence) {
    this.folder = folder;
    this.run = run;
    this.document = document;
    this.log = log;
    this.head = head;
    this.sequence = sequence;
  }

  /**
   * The files of a run with everything up to a position of the journal; what is not as it should be
   * is written anew.
   */
  static Book open(Host host, Path runs, String run, long position) throws IOException {
    Path folder = runs.resolve(run);
    DurableFile.folders(folder.resolve(PENDING));
    clear(folder);
    StateDocument document = new StateDocument(run);
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    String head = Sha256.ZEROS;
    long sequence = 0;
    boolean more = true;
    while (more) {
      List<EntryRow> page = host.history(run, sequence + 1, PAGE);
      more = page.size() == PAGE;
      for (EntryRow row : page) {
        if (row.position() > position) {
          more = false;
          break;
        }
        ChainedLine line = line(head, run, document, row);
        lines.writeBytes(line.bytes());
        head = line.hash();
        sequence = row.sequence();
      }
    }
    AppendedFile log = AppendedFile.of(folder.resolve(LOG), lines.toByteArray());
    Book book = new Book(folder, run, document, log, head, sequence);
    if (sequence > 0) {
      book.writeState();
    }
    return book;
  }

  /**
   * Takes in the next entry: state, then log.
   *
   * @return the log's line, or null when the entry is in it already
   */
  @Nullable ChainedLine add(EntryRow row) throws IOException {
    if (row.sequence() <= sequence) {
      return null;
    }
    ChainedLine line = line(head, run, document, row);
    writeState();
    log.append(line.bytes());
    head = line.hash();
    sequence = row.sequence();
    return line;
  }

  /** Lets {@code PENDING/} hold the approvals that somebody is to decide, and no others. */
  void writePending(Host host) throws IOException {
    Path pending = folder.resolve(PENDING);
    Map<String, byte[]> wanted = new LinkedHashMap<>();
    for (String id : document.waiting()) {
      wanted.put(
          fileName(id), (Json.pretty(request(host, id)) + "\n").getBytes(StandardCharsets.UTF_8));
    }
    try (Stream<Path> files = Files.list(pending)) {
      for (Path file : files.toList()) {
        if (!wanted.containsKey(String.valueOf(file.getFileName()))) {
          Files.delete(file);
        }
      }
    }
    for (Map.Entry<String, byte[]> each : wanted.entrySet()) {
      replace(pending.resolve(each.getKey()), each.getValue());
    }
    DurableFile.force(pending);
  }

  boolean isEnded() {
    return List.of("COMPLETE", "ROLLED_BACK", "HALTED_UNSAFE").contains(document.state());
  }

  static String fileName(String approval) {
    return (approval.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,150}")
            ? approval
            : "id-" + Sha256.hex(approval))
        + ".json";
  }

  /** Deletes what a writer that died left of a file; whoever is here has the pen. */
  private static void clear(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path part : files.filter(DurableFile::isPart).toList()) {
        Files.deleteIfExists(part);
      }
    }
  }

  private static ChainedLine line(String head, String run, StateDocument document, EntryRow row) {
    Map<String, @Nullable Object> entry = body(row);
    String from = document.state();
    document.apply(entry);
    return ChainedLine.ofLog(
        head, run, entry, HexFormat.of().formatHex(row.hash()), from, document.state());
  }

  private static Map<String, @Nullable Object> body(EntryRow row) {
    try {
      return Values.map(Json.parse(new String(row.body(), StandardCharsets.UTF_8)));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Expected an entry of the journal to be JSON.", e);
    }
  }

  private static Map<String, @Nullable Object> request(Host host, String id) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("approval_id", id);
    Instance approval = host.find(id);
    if (approval != null) {
      for (String name :
          List.of(
              "subject",
              "action",
              "arguments",
              "identity",
              "digest",
              "risk",
              "requester",
              "expires_at")) {
        fields.put(name, approval.context().get(name));
      }
    }
    return fields;
  }

  private void writeState() throws IOException {
    replace(folder.resolve(STATE), document.bytes());
  }

  private static void replace(Path file, byte[] bytes) throws IOException {
    if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), bytes)) {
      DurableFile.write(file, bytes);
    }
  }
}
