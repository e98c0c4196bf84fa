/**
 * State machines as people draw them in Graphviz's DOT language, read and written.
 *
 * <p>DOT knows nodes, edges and clusters; what they mean here is a convention. A cluster is a state
 * with states inside, a doubled outline a final state, a diamond a choice, and a point a dot: a
 * start when arrows only leave it, an end when they only reach it. The writer adds a {@code class}
 * to what has no shape of its own in DOT, and the reader knows it again.
 */
@NullMarked
package dev.signalbox.definition.dot;

import org.jspecify.annotations.NullMarked;
