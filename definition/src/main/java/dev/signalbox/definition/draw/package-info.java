/**
 * The picture of a machine: one SVG renderer for the docs, the command line and the page.
 *
 * <pre>
 *   Machine --Sketcher--> Sketch: boxes and wires
 *           --Layout----> the same, with places
 *           --SvgWriter-> text
 * </pre>
 *
 * <p>A picture is made of two things: boxes (states and points) and wires (all transitions from one
 * box to another, drawn as one line with a label line each). Eclipse ELK's layered algorithm places
 * them; a machine too large for it is packed into rows instead, by its size alone, so that the same
 * machine always gives the same bytes. Names and labels come from strangers: {@link
 * dev.signalbox.definition.draw.Xml} is the only way into the text.
 */
@NullMarked
package dev.signalbox.definition.draw;

import org.jspecify.annotations.NullMarked;
