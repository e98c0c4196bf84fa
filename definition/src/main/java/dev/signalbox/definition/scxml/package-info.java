/**
 * SCXML 1.0 to machine and back.
 *
 * <p>{@link dev.signalbox.definition.scxml.ScxmlReader} reads the core of W3C's State Chart XML
 * with CEL as its data model. {@link dev.signalbox.definition.scxml.ScxmlWriter} writes any
 * machine; what SCXML has no word for (roles, types, invariants, deadlines, effects …) goes into
 * attributes and elements of the namespace {@code https://signalbox.dev/ns/machine}, which other
 * engines ignore and the reader understands, so that nothing is lost on the way there and back.
 *
 * <p>The text becomes a small tree of {@link dev.signalbox.definition.scxml.XmlElement}s with the
 * place of every attribute; one class reads each part of a machine from that tree.
 */
@NullMarked
package dev.signalbox.definition.scxml;

import org.jspecify.annotations.NullMarked;
