// SPDX-License-Identifier: Apache-2.0
// Tests `turnstile serve` over TLS, with a certificate that the test creates and checks.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cstdio>

#include "admin_fixture.hpp"
#include "tls_link.hpp"

namespace turnstile::tests {
namespace {

class admin_tls : public admin {
protected:
    [[nodiscard]] admin_page start_tls(words more = {}) const {
        const words options{"--tls-cert", own.certificate(), "--tls-key", own.key()};
        more.insert(more.end(), options.begin(), options.end());
        return start(more);
    }
    [[nodiscard]] std::string answer_to(const admin_page& page, const std::string& target,
                                        int version = TLS1_3_VERSION,
                                        const request_parts& parts = {}) const {
        const tls_link link{page.port(), own, version};
        if (!link.open()) return "no connection";
        link.send(page.request(target, parts));
        return link.receive_until("nothing that is sent");
    }
    void expect_refused(const std::string& certificate, const std::string& key,
                        const std::string& sentence) const {
        testing::process refused{{.command = {TURNSTILE_PROGRAM, "serve", "--listen", "127.0.0.1:0",
                                              "--tls-cert", certificate, "--tls-key", key},
                                  .environment = {"TURNSTILE_SERVERS=127.0.0.1:1"},
                                  .output = log()}};
        ASSERT_TRUE(refused.wait());
        EXPECT_EQ(refused.exit_code(), 64);
        EXPECT_NE(refused.output().find(sentence), std::string::npos) << refused.output();
    }
    const own_certificate own{folder.path()};
};

TEST_F(admin_tls, answers_with_its_certificate) {
    auto page = start_tls();
    EXPECT_TRUE(page.process().output().find("https://127.0.0.1:") != std::string::npos);
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const auto answer = answer_to(page, "/api/v1/me", version);
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
        EXPECT_NE(answer.find("Strict-Transport-Security: max-age="), std::string::npos);
    }
    // This answer is longer than one TLS record.
    const auto script = answer_to(page, "/assets/app.js");
    EXPECT_TRUE(script.starts_with("HTTP/1.1 200 "));
    const own_certificate other{folder.path(), "other"};
    EXPECT_FALSE(tls_link(page.port(), other, TLS1_3_VERSION).open());
}

TEST_F(admin_tls, older_versions_are_refused) {
    const auto page = start_tls();
    EXPECT_EQ(answer_to(page, "/api/v1/me", TLS1_1_VERSION), "no connection");
    EXPECT_TRUE(answer_to(page, "/api/v1/me").starts_with("HTTP/1.1 200 "));
}

// Without forward secrecy, a thief of the server's key could later decrypt every recorded connection.
TEST_F(admin_tls, ciphers_have_forward_secrecy) {
    const own_certificate rsa{folder.path(), "rsa", "IP:127.0.0.1", own_certificate::key_kind::rsa};
    const auto page = start({"--tls-cert", rsa.certificate(), "--tls-key", rsa.key()});
    EXPECT_FALSE(tls_link(page.port(), rsa, TLS1_2_VERSION, "kRSA:@SECLEVEL=0").open());
    EXPECT_TRUE(tls_link(page.port(), rsa, TLS1_2_VERSION).open());
}

TEST_F(admin_tls, a_plain_request_is_not_answered) {
    const auto page = start_tls();
    EXPECT_EQ(page.ask("/api/v1/me").status, 0);
    EXPECT_TRUE(answer_to(page, "/api/v1/me").starts_with("HTTP/1.1 200 "));
}

TEST_F(admin_tls, a_sign_in_has_a_cookie_for_tls_alone) {
    const auto page = start_tls({"--password-file", secret("password", k_password)});
    const auto answer = answer_to(page, "/api/v1/sign-in", TLS1_3_VERSION,
                                  {.body = R"({"password": "correct horse"})"});
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 204 ")) << answer;
    EXPECT_NE(answer.find("Set-Cookie: __Host-turnstile="), std::string::npos) << answer;
    EXPECT_NE(answer.find("; HttpOnly; SameSite=Strict; Secure\r\n"), std::string::npos);
}

TEST_F(admin_tls, events) {
    const auto page = start_tls();
    const tls_link link{page.port(), own, TLS1_3_VERSION};
    ASSERT_TRUE(link.open());
    link.send("GET /api/v1/events HTTP/1.1\r\nHost: " + page.name() + "\r\n\r\n");
    EXPECT_NE(link.receive_until("event: overview").find("text/event-stream"), std::string::npos);
}

TEST_F(admin_tls, ends_while_a_peer_does_not_speak) {
    auto page = start_tls();
    const auto silent = page.link();
    const tls_link link{page.port(), own, TLS1_3_VERSION};
    ASSERT_TRUE(link.open());
    page.process().terminate();
    ASSERT_TRUE(page.process().wait());
    EXPECT_EQ(page.process().exit_code(), 0);
}

TEST_F(admin_tls, a_key_of_another_certificate) {
    const own_certificate other{folder.path(), "other"};
    expect_refused(own.certificate(), other.key(), ": is not the key of the certificate");
}

TEST_F(admin_tls, a_key_that_others_can_open) {
    for (const mode_t mode : {0640U, 0604U}) {
        ASSERT_EQ(::chmod(own.key().c_str(), mode), 0);
        expect_refused(own.certificate(), own.key(),
                       own.key() + ": other users can open it (mode 06");
    }
}

// The program must refuse this key. OpenSSL would ask for the passphrase on the terminal.
TEST_F(admin_tls, a_key_with_a_passphrase) {
    const auto locked = (folder.path() / "locked").string();
    std::FILE* const plain = std::fopen(own.key().c_str(), "r");
    std::FILE* const file = std::fopen(locked.c_str(), "w");
    ASSERT_TRUE(plain != nullptr && file != nullptr);
    EVP_PKEY* const key = ::PEM_read_PrivateKey(plain, nullptr, nullptr, nullptr);
    char passphrase[] = "of a person";
    EXPECT_EQ(::PEM_write_PKCS8PrivateKey(file, key, ::EVP_aes_256_cbc(), passphrase,
                                          sizeof passphrase - 1, nullptr, nullptr),
              1);
    ::EVP_PKEY_free(key);
    std::fclose(plain);
    std::fclose(file);
    ASSERT_EQ(::chmod(locked.c_str(), 0600), 0);
    expect_refused(own.certificate(), locked, locked + ": the key has a passphrase");
}

TEST_F(admin_tls, files_that_are_not_there) {
    const auto missing = (folder.path() / "missing").string();
    const auto reason = missing + ": cannot be read: No such file or directory\n";
    expect_refused(missing, own.key(), reason);
    expect_refused(own.certificate(), missing, reason);
}

}  // namespace
}  // namespace turnstile::tests
