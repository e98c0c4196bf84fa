package dev.signalbox.services.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where webhooks may go. */
class UrlPolicyTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1/hook",
        "https://127.1.2.3/hook",
        "https://localhost/hook",
        "https://10.1.2.3/hook",
        "https://172.16.0.1/hook",
        "https://192.168.1.1/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/hook",
        "https://0.0.0.0/hook",
        "https://224.0.0.1/hook",
        "https://255.255.255.255/hook",
        "https://[::1]/hook",
        "https://[fc00::1]/hook",
        "https://[fe80::1]/hook",
        "https://[::ffff:127.0.0.1]/hook",
        "https://[64:ff9b::7f00:1]/hook",
        "https://[2002:7f00:1::]/hook",
        "http://93.184.215.14/hook",
        "https://user:secret@93.184.215.14/hook",
        "ftp://93.184.215.14/hook",
        "file:///etc/passwd",
        "https:///hook",
        "https://93.184.215.14/hook#part",
        "not an address",
        ""
      })
  void what_only_this_machine_can_reach_is_refused(String url) {
    assertThatThrownBy(() -> UrlPolicy.PUBLIC.checked(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("may be called from here")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://93.184.215.14/hook", "https://[2606:4700::1111]:8443/hook?a=b"})
  void public_addresses_over_https_are_allowed(String url) {
    assertThat(UrlPolicy.PUBLIC.checked(url)).hasToString(url);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:8080/hook", "https://10.0.0.1/", "http://localhost/"})
  void private_ones_are_allowed_where_that_was_decided(String url) {
    assertThat(UrlPolicy.LOOPBACK_AND_PRIVATE.checked(url)).hasToString(url);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.1.1.1", "8.8.8.8", "2606:4700:4700::1111"})
  void public_is_public(String address) throws Exception {
    assertThat(UrlPolicy.isPublic(InetAddress.getByName(address))).isTrue();
  }
}
