package dev.signalbox.services.workspace;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import dev.signalbox.services.evidence.EvidenceStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Changes as people read them: unified diffs of texts, one line for anything else. */
final class Diffs {
  private static final int EACH = 256 << 10;
  private static final int IN_ALL = 1 << 20;
  private static final int LINES = 5_000;
  private static final int CONTEXT = 3;

  private final Workspace workspace;
  private final EvidenceStore contents;

  Diffs(Workspace workspace, EvidenceStore contents) {
    this.workspace = workspace;
    this.contents = contents;
  }

  /** The folder is as the changes leave it. */
  String of(List<Change> changes) {
    StringBuilder out = new StringBuilder();
    for (Change change : changes) {
      if (out.length() > IN_ALL) {
        out.append("… and more; the rest is left out\n");
        break;
      }
      append(change, out);
    }
    return out.toString();
  }

  private void append(Change change, StringBuilder out) {
    Item before = change.before();
    Item after = change.after();
    // A name may hold line ends and would then look like a part of the diff.
    String path = change.path().replaceAll("\\p{Cntrl}", "?");
    out.append(
        "%s %s: %s → %s\n"
            .formatted(
                change.kind().name().toLowerCase(Locale.ROOT), path, shown(before), shown(after)));
    if (!isFileOrNone(before) || !isFileOrNone(after) || sameContent(before, after)) {
      return;
    }
    List<String> old = before == null ? List.of() : lines(storedBytes(before));
    List<String> fresh = after == null ? List.of() : lines(currentBytes(change.path()));
    if (old == null || fresh == null) {
      out.append("  not shown: no text, or long\n");
      return;
    }
    UnifiedDiffUtils.generateUnifiedDiff(
            before == null ? "/dev/null" : "a/" + path,
            after == null ? "/dev/null" : "b/" + path,
            old,
            DiffUtils.diff(old, fresh),
            CONTEXT)
        .forEach(line -> out.append(line).append('\n'));
  }

  private static boolean isFileOrNone(@Nullable Item item) {
    return item == null || item.kind() == Item.Kind.FILE;
  }

  private static boolean sameContent(@Nullable Item before, @Nullable Item after) {
    return before != null && after != null && before.content().equals(after.content());
  }

  private static String shown(@Nullable Item item) {
    return item == null
        ? "nothing"
        : switch (item.kind()) {
          case FILE -> "file %o %s".formatted(item.mode(), item.content().substring(0, 12));
          case LINK -> "link to " + item.content().replaceAll("\\p{Cntrl}", "?");
          case FOLDER -> "folder %o".formatted(item.mode());
          case OTHER -> "something that is neither file, link nor folder";
        };
  }

  private byte @Nullable [] storedBytes(Item item) {
    try (InputStream in = Files.newInputStream(contents.file(item.content()))) {
      return in.readNBytes(EACH + 1);
    } catch (IOException e) {
      return null;
    }
  }

  private byte @Nullable [] currentBytes(String path) {
    try (InputStream in = Files.newInputStream(workspace.place(path), LinkOption.NOFOLLOW_LINKS)) {
      return in.readNBytes(EACH + 1);
    } catch (IOException e) {
      return null;
    }
  }

  /** The lines of a text; null when it is none or too long. */
  private static @Nullable List<String> lines(byte @Nullable [] bytes) {
    if (bytes == null || bytes.length > EACH) {
      return null;
    }
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      if (text.indexOf('\0') >= 0) {
        return null;
      }
      List<String> lines = Arrays.asList(text.split("\n", -1));
      return lines.size() > LINES ? null : lines;
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
