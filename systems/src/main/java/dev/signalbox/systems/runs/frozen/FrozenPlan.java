package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A frozen plan of the coordinator, as it was handed over: the texts of its manifest and its graph,
 * and the folder with the other files where there is one.
 */
public final class FrozenPlan {
  /** The file with the hashes of all others. */
  public static final String MANIFEST = "manifest.json";

  /** The file with what is to be done. */
  public static final String GRAPH = "execution_graph.json";

  private final Source manifest;
  private final Source graph;
  private final @Nullable Path folder;
  private final List<Problem> unreadable;

  private FrozenPlan(
      Source manifest, Source graph, @Nullable Path folder, List<Problem> unreadable) {
    this.manifest = manifest;
    this.graph = graph;
    this.folder = folder;
    this.unreadable = unreadable;
  }

  /** The plan in a folder. Files that can't be read are told when it is read. */
  public static FrozenPlan in(Path folder) {
    List<Problem> unreadable = new ArrayList<>();
    Source manifest = source(folder.resolve(MANIFEST), unreadable);
    Source graph = source(folder.resolve(GRAPH), unreadable);
    return new FrozenPlan(manifest, graph, folder, unreadable);
  }

  /** The plan of two texts. Of the other files nothing is known, and nothing is said. */
  public static FrozenPlan of(String manifest, String graph) {
    return new FrozenPlan(
        new Source(MANIFEST, manifest), new Source(GRAPH, graph), null, List.of());
  }

  public Source manifest() {
    return manifest;
  }

  public Source graph() {
    return graph;
  }

  /**
   * What a run takes over.
   *
   * @param problems everything that is wrong; when there is one, the rest is not to be used
   */
  public record Read(Manifest manifest, Sequence sequence, List<Problem> problems) {
    public Read {
      problems = List.copyOf(problems);
    }
  }

  /** Reads and compares everything. */
  public Read read() {
    Problems ofManifest = new Problems(manifest.name());
    Problems ofGraph = new Problems(graph.name());
    boolean isThere = !isUnreadable(manifest);
    Manifest listed = isThere ? ManifestReader.read(manifest, ofManifest) : Manifest.NONE;
    Graph drawn = isUnreadable(graph) ? Graph.NONE : GraphReader.read(graph, ofGraph);
    Sequence sequence = drawn == Graph.NONE ? Sequence.NONE : Sequence.of(drawn, ofGraph);
    for (Manifest.Listed file : listed.files()) {
      compare(file, ofManifest);
    }
    if (isThere && drawn != Graph.NONE) {
      lineage(listed, drawn, ofManifest, ofGraph);
    }
    List<Problem> all = new ArrayList<>(unreadable);
    all.addAll(ofManifest.list());
    all.addAll(ofGraph.list());
    return new Read(listed, sequence, all);
  }

  /** The SHA-256 of a text as it lies in its file. */
  public static String digest(Source text) {
    return Sha256.hex(text.text());
  }

  private boolean isUnreadable(Source source) {
    return unreadable.stream().anyMatch(problem -> problem.source().equals(source.name()));
  }

  private static Source source(Path file, List<Problem> unreadable) {
    Problems problems = new Problems(file.toString());
    String text = "";
    try {
      if (!Files.isRegularFile(file)) {
        problems.error(
            "missing-file",
            Place.START,
            "Expected %s to be there, but it is not.".formatted(file.getFileName()),
            "Take the folder as the coordinator wrote it.");
      } else if (Files.size(file) > Source.LARGEST) {
        problems.error("too-large", Place.START, "Expected at most 10 MB of text.", "");
      } else {
        text = Files.readString(file);
      }
    } catch (CharacterCodingException e) {
      problems.error("unreadable", Place.START, "Expected a text in UTF-8, but it is none.", "");
    } catch (IOException e) {
      problems.error(
          "unreadable",
          Place.START,
          "Expected a file, but it can't be read: " + e.getMessage(),
          "");
    }
    unreadable.addAll(problems.list());
    return new Source(file.toString(), text);
  }

  private void compare(Manifest.Listed file, Problems problems) {
    String path = file.path();
    if (path.isEmpty()) {
      return;
    }
    String found = path.equals(GRAPH) ? hashOfGraph() : hash(path);
    if (found == null) {
      return;
    }
    if (found.isEmpty()) {
      problems.error(
          "missing-file",
          file.place(),
          "Expected %s to be there, but it is not.".formatted(path),
          "Take the folder as the coordinator wrote it.");
    } else if (!found.equals(file.sha256())) {
      problems.error(
          "checksum-differs",
          file.place(),
          "Expected %s as it was frozen, but it has another SHA-256: %s.".formatted(path, found),
          "Nothing of a frozen plan may be changed. Take the folder as the coordinator wrote it, or"
              + " have the plan made anew.");
    }
  }

  /** The hash of the graph's text; null where there is none, which is told already. */
  private @Nullable String hashOfGraph() {
    return isUnreadable(graph) ? null : digest(graph);
  }

  /** The hash of a file of the folder; empty when it is not there, null when nobody can know. */
  private @Nullable String hash(String path) {
    if (folder == null) {
      return null;
    }
    Path file = folder.resolve(path);
    if (!Files.isRegularFile(file)) {
      return "";
    }
    try (InputStream in = Files.newInputStream(file)) {
      return Sha256.hex(in);
    } catch (IOException e) {
      return "";
    }
  }

  /** The graph is of the run and the intent of the manifest, and of the registry only. */
  private static void lineage(
      Manifest manifest, Graph graph, Problems ofManifest, Problems ofGraph) {
    if (!manifest.runId().equals(graph.runId()) || !manifest.intentId().equals(graph.intentId())) {
      ofManifest.error(
          "lineage-differs",
          Place.START,
          "Expected a manifest and a graph of one run and one intent, but they name different"
              + " ones.",
          "Take the folder as the coordinator wrote it.");
    }
    for (Node node : graph.nodes()) {
      if (node instanceof Node.Action action) {
        if (!manifest.pins("command", action.commandId())) {
          unpinned(action, "command", action.commandId(), ofGraph);
        }
        if (!manifest.pins("agent", action.agent())) {
          unpinned(action, "agent", action.agent(), ofGraph);
        }
      }
    }
  }

  private static void unpinned(Node.Action action, String kind, String id, Problems problems) {
    if (!id.isEmpty()) {
      problems.error(
          "not-in-registry",
          action.place(),
          "Expected the %s '%s' of '%s' among the manifest's registry_versions, but it is not (red line 5)."
              .formatted(kind, id, action.id()),
          "A plan has only what the registry has. Have it made anew.");
    }
  }
}
