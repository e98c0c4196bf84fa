package dev.signalbox.definition.scxml;

/** A part of an element's content. */
sealed interface XmlNode permits XmlElement, XmlNode.Text {

  /** Characters between tags. */
  record Text(String text) implements XmlNode {}
}
