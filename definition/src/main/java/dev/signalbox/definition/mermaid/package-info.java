/**
 * Mermaid's state diagrams, alone or in Markdown: read as Mermaid 11 itself reads them, and
 * written.
 *
 * <p>Mermaid's scanner is modal and forgiving in odd places: a statement needs no line of its own,
 * a bare {@code state X} declares nothing, a semicolon is part of a name, and the last mention
 * inside a box decides where a state belongs. The reader follows all of this, because a diagram
 * means what its author sees when it is drawn, and says so where the author can hardly have meant
 * it. What Mermaid refuses is an error here too; the reader then goes on with the next line.
 */
@NullMarked
package dev.signalbox.definition.mermaid;

import org.jspecify.annotations.NullMarked;
