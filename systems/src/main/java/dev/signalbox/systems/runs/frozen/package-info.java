/**
 * A frozen plan of the coordinator, as a run takes it over: a folder with the execution graph, and
 * a manifest with the SHA-256 of every file and the lineage.
 *
 * <pre>
 *   manifest.json ─▶ files by their hashes ─▶ execution_graph.json ─▶ nodes, edges, swimlanes
 *        └─▶ lineage: the intent, and the versions of everything of the registry
 * </pre>
 *
 * <p>The coordinator writes it and never executes; so nothing in it can be executed, and what runs
 * is given by whoever runs it, by command id. Whatever is wrong is told at once, each problem with
 * its place, and then nothing of the plan is used. A run is a sequence: {@link
 * dev.signalbox.systems.runs.frozen.Sequence} says which one, and a graph that has none is refused
 * rather than interpreted. Deliberately absent is anything that reads the other files of the
 * folder: they are compared with their hashes and otherwise left alone.
 */
@NullMarked
package dev.signalbox.systems.runs.frozen;

import org.jspecify.annotations.NullMarked;
