package dev.signalbox.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class CanonicalJsonTest {

  @Test
  void numbers_are_written_as_ecmascript_does() {
    Map<Double, String> expected = new LinkedHashMap<>();
    expected.put(0.0, "0");
    expected.put(-0.0, "0");
    expected.put(1.0, "1");
    expected.put(-1.5, "-1.5");
    expected.put(0.1, "0.1");
    expected.put(1e-6, "0.000001");
    expected.put(1e-7, "1e-7");
    expected.put(1.25e-7, "1.25e-7");
    expected.put(123e-8, "0.00000123");
    expected.put(1e20, "100000000000000000000");
    expected.put(1.5e20, "150000000000000000000");
    expected.put(1e21, "1e+21");
    expected.put(1.5e21, "1.5e+21");
    expected.put(1e23, "1e+23");
    expected.put(Math.nextDown(1e21), "999999999999999900000");
    expected.put(9007199254740994.0, "9007199254740994");
    expected.put(Double.MAX_VALUE, "1.7976931348623157e+308");
    expected.put(-Double.MAX_VALUE, "-1.7976931348623157e+308");
    expected.put(Double.MIN_NORMAL, "2.2250738585072014e-308");
    expected.put(Double.MIN_VALUE, "5e-324");
    expected.put(2 * Double.MIN_VALUE, "1e-323");
    expected.put(3 * Double.MIN_VALUE, "1.5e-323");
    expected.put(1 / 3.0, "0.3333333333333333");
    expected.put(100.0 / 3, "33.333333333333336");
    assertThat(expected)
        .allSatisfy((number, text) -> assertThat(CanonicalJson.text(number)).isEqualTo(text));
  }

  @Property(tries = 5_000)
  void every_double_has_the_fewest_digits_that_give_it_back(@ForAll long bits) {
    double number = Double.longBitsToDouble(bits);
    if (Double.isFinite(number)) {
      assertThat(CanonicalJson.text(number)).isEqualTo(reference(number));
    }
  }

  @Property(tries = 2_000)
  void so_have_the_smallest_and_the_ordinary(@ForAll int value) {
    for (double number :
        new double[] {value * Double.MIN_VALUE, value / 1000.0, value * 1e15, value * 1e-9}) {
      assertThat(CanonicalJson.text(number)).isEqualTo(reference(number));
    }
  }

  /** By definition and slowly: round to 1, 2, 3 … digits until the number comes back. */
  private static String reference(double number) {
    if (number == 0) {
      return "0";
    }
    BigDecimal exact = new BigDecimal(Math.abs(number));
    int k = 1;
    BigDecimal rounded = exact.round(new MathContext(k, RoundingMode.HALF_EVEN));
    while (rounded.doubleValue() != Math.abs(number)) {
      rounded = exact.round(new MathContext(++k, RoundingMode.HALF_EVEN));
    }
    BigDecimal stripped = rounded.stripTrailingZeros();
    String s = stripped.unscaledValue().toString();
    int n = s.length() - stripped.scale();
    k = s.length();
    String sign = number < 0 ? "-" : "";
    if (k <= n && n <= 21) {
      return sign + s + "0".repeat(n - k);
    }
    if (0 < n && n <= 21) {
      return sign + s.substring(0, n) + "." + s.substring(n);
    }
    if (-6 < n && n <= 0) {
      return sign + "0." + "0".repeat(-n) + s;
    }
    String exponent = (n - 1 < 0 ? "-" : "+") + Math.abs(n - 1);
    return sign + s.charAt(0) + (k == 1 ? "" : "." + s.substring(1)) + "e" + exponent;
  }

  @Test
  void whole_numbers_beyond_two_to_the_53_are_strings() {
    long edge = 1L << 53;
    assertThat(CanonicalJson.text(Arrays.asList(edge, -edge, 0L, -7L)))
        .isEqualTo("[9007199254740992,-9007199254740992,0,-7]");
    assertThat(
            CanonicalJson.text(Arrays.asList(edge + 1, -edge - 1, Long.MIN_VALUE, Long.MAX_VALUE)))
        .isEqualTo(
            "[\"9007199254740993\",\"-9007199254740993\",\"-9223372036854775808\","
                + "\"9223372036854775807\"]");
  }

  @Test
  void strings_escape_only_what_they_must() {
    assertThat(CanonicalJson.text("a\"b\\c/\b\t\n\f\r\u0000\u001f\u007f é€\ud83d\ude00\u2028"))
        .isEqualTo("\"a\\\"b\\\\c/\\b\\t\\n\\f\\r\\u0000\\u001f\u007f é€\ud83d\ude00\u2028\"");
    assertThat(CanonicalJson.text("")).isEqualTo("\"\"");
  }

  @Test
  void keys_are_in_the_order_of_utf_16() {
    Map<String, Object> map = new HashMap<>();
    // U+1F600 starts with the code unit D83D, which is before FB33.
    for (String key : List.of("€", "\r", "\ufb33", "1", "\ud83d\ude00", "\u0080", "ö", "", "a")) {
      map.put(key, 1L);
    }
    assertThat(CanonicalJson.text(map))
        .isEqualTo(
            "{\"\":1,\"\\r\":1,\"1\":1,\"a\":1,\"\u0080\":1,\"ö\":1,\"€\":1,"
                + "\"\ud83d\ude00\":1,\"\ufb33\":1}");
  }

  @Test
  void lists_maps_and_the_rest_have_no_white_space() {
    Map<String, Object> inner = new LinkedHashMap<>();
    inner.put("b", null);
    inner.put("a", List.of(true, false, Map.of(), List.of()));
    assertThat(CanonicalJson.text(inner)).isEqualTo("{\"a\":[true,false,{},[]],\"b\":null}");
    assertThat(CanonicalJson.bytes("é")).isEqualTo("\"é\"".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void what_has_no_json_text_is_refused() {
    List<Object> deep = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      deep = new ArrayList<>(List.of(deep));
    }
    List<Object> bad =
        List.of(
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            "\ud800",
            "x\udc00y",
            "\ud800x",
            5,
            'c',
            Map.of(1L, 2L),
            deep);
    assertThat(bad)
        .allSatisfy(value ->
            assertThatIllegalArgumentException().isThrownBy(() -> CanonicalJson.text(value)));
  }
}
