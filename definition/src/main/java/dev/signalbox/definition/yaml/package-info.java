/**
 * Machines in YAML, the form that docs/machines.md specifies: read with every problem at its place,
 * written so that reading gives the same machine again.
 *
 * <p>Reading goes in two passes. {@link dev.signalbox.definition.yaml.Documents} turns the text
 * into {@link dev.signalbox.definition.yaml.Node}s with places, within bounds on size, depth and
 * aliases, so that what follows may recurse. One reader for each kind of element then turns nodes
 * into the model, and takes notes in a {@link dev.signalbox.definition.yaml.Reading}.
 */
@NullMarked
package dev.signalbox.definition.yaml;

import org.jspecify.annotations.NullMarked;
