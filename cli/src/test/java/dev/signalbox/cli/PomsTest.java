package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** What the build fetches for whom. */
class PomsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  @Test
  void the_launchers_build_fetches_nothing_that_only_tests_need() throws Exception {
    XPath path = XPathFactory.newInstance().newXPath();
    List<Path> poms = new ArrayList<>();
    try (Stream<Path> folders = Files.list(ROOT)) {
      folders.map(f -> f.resolve("pom.xml")).filter(Files::exists).forEach(poms::add);
    }
    poms.add(ROOT.resolve("pom.xml"));
    assertThat(poms).hasSizeGreaterThan(10);
    for (Path pom : poms) {
      Document document =
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
      NodeList always =
          (NodeList)
              path.evaluate(
                  "/project/dependencies/dependency[scope='test']/artifactId",
                  document,
                  XPathConstants.NODESET);
      for (int i = 0; i < always.getLength(); i++) {
        assertThat(always.item(i).getTextContent())
            .as("put it into the profile 'tests' of %s", ROOT.relativize(pom))
            .isNull();
      }
      assertThat(path.evaluate("//profile[dependencies]/activation/property/name", document))
          .as("%s", pom)
          .isIn("", "!maven.test.skip");
    }
  }
}
