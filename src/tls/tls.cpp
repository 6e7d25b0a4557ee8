// SPDX-License-Identifier: Apache-2.0
#include "tls/tls.hpp"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/mutex.hpp"
#include "support/private_file.hpp"
#include "tls/socket_bio.hpp"

namespace turnstile::tls {
namespace {

using context_owner = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;
using connection_owner = std::unique_ptr<SSL, void (*)(SSL*)>;

bool is_number(const std::string& host) noexcept {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// Returns the first error in OpenSSL's queue, which is the cause of the later errors. Empties the queue: the program
// may use OpenSSL as well, and must not find this library's errors there.
std::string first_words() {
    const auto code = ::ERR_peek_error();
    std::string words = "an error that OpenSSL does not name";
    if (const char* const text = ::ERR_reason_error_string(code); text != nullptr) {
        words = text;
    } else if (ERR_SYSTEM_ERROR(code)) {
        words = std::generic_category().message(ERR_GET_REASON(code));
    }
    ::ERR_clear_error();
    return words;
}

// OpenSSL calls this function for a key file's password, instead of asking at the terminal. `data`: the password, or
// null.
int give_password(char* into, int size, int /*writing*/, void* data) {
    const auto* const password = static_cast<const std::string*>(data);
    if (password == nullptr || password->size() > static_cast<std::size_t>(size)) return 0;
    std::copy(password->begin(), password->end(), into);
    return static_cast<int>(password->size());
}

struct peer_view {
    std::string host;
    std::string_view plain_form;  // refers to a constant
    bool shows_certificate = false;
    bool asked_for_certificate = false;
};

// OpenSSL calls this function when the server requests a certificate. `peer`: the connection's peer_view.
int note_request(SSL* /*ssl*/, void* peer) {
    static_cast<peer_view*>(peer)->asked_for_certificate = true;
    return 1;
}

struct greeting_failure {
    std::string reason;
    bool refused = false;
};

// Returns the message for a certificate that OpenSSL has refused. `verdict`: one of X509_V_ERR_...
std::string distrust(long verdict, const std::string& host) {
    switch (verdict) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return "the server's certificate is not for the name " + host;
        case X509_V_ERR_CERT_HAS_EXPIRED: return "the server's certificate has expired";
        case X509_V_ERR_CERT_NOT_YET_VALID: return "the server's certificate is not valid yet";
        case X509_V_ERR_CERT_REVOKED: return "the server's certificate has been revoked (crl_file)";
        case X509_V_ERR_UNABLE_TO_GET_CRL:
            return "crl_file has no revocation list of the authority that issued the server's "
                   "certificate";
        case X509_V_ERR_CRL_HAS_EXPIRED: return "the revocation list in crl_file has expired";
        default: break;
    }
    return std::string{"the server's certificate is from no trusted authority ("} +
           ::X509_verify_cert_error_string(verdict) + "); set ca_file";
}

bool is_of_client_certificate(int reason) noexcept {
    constexpr std::array k_alerts{
        SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,     SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
        SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED, SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED,
        SSL_R_SSLV3_ALERT_NO_CERTIFICATE,      SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
        SSL_R_TLSV1_ALERT_UNKNOWN_CA,          SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED};
    return std::find(k_alerts.begin(), k_alerts.end(), reason) != k_alerts.end();
}

// `greeted`: the handshake was complete when the connection ended.
greeting_failure end_of_connection(bool greeted) {
    ::ERR_clear_error();
    return {std::string{k_closed} +
            (greeted ? "" : " during the TLS handshake: this may be a port without TLS")};
}

greeting_failure explain(const SSL& ssl, int failure, int system_error, const peer_view& peer) {
    const bool greeted = ::SSL_is_init_finished(&ssl) == 1;
    const auto verdict = ::SSL_get_verify_result(&ssl);
    if (verdict != X509_V_OK && ::SSL_get_verify_mode(&ssl) != SSL_VERIFY_NONE) {
        ::ERR_clear_error();
        return {distrust(verdict, peer.host), true};
    }
    if (failure == SSL_ERROR_SYSCALL && ::ERR_peek_error() == 0) {
        if (system_error == 0 || (system_error == ECONNRESET && !greeted))
            return end_of_connection(greeted);
        return {std::generic_category().message(system_error)};
    }
    const int reason = ERR_GET_REASON(::ERR_peek_last_error());
    // Java since 17.0.19 sends the alert handshake_failure if the client's certificate is missing. After a server has
    // requested a certificate, Java sends this alert for no other reason.
    const bool misses_certificate = peer.asked_for_certificate && !peer.shows_certificate &&
                                    reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE;
    if (misses_certificate || is_of_client_certificate(reason)) {
        ::ERR_clear_error();
        if (peer.shows_certificate)
            return {"the server does not trust the client's certificate (cert_file)", true};
        return {"the server requires a client certificate: set cert_file and key_file", true};
    }
    if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) return end_of_connection(greeted);
    if (reason == SSL_R_WRONG_VERSION_NUMBER) {
        ::ERR_clear_error();
        return {"the server answers, but does not speak TLS: " + std::string{peer.plain_form},
                true};
    }
    return {"TLS: " + first_words()};
}

class openssl_stream final : public stream {
public:
    openssl_stream(connection_owner ssl, peer_view peer)
        : ssl_{std::move(ssl)}, peer_{std::move(peer)} {
        ::SSL_set_cert_cb(ssl_.get(), note_request, &peer_);
    }

    handshake_step go_on() override {
        const base::lock_guard lock{mutex_};
        if (failed_) return handshake_step::failed;
        ::ERR_clear_error();
        errno = 0;
        const int done = ::SSL_connect(ssl_.get());
        if (done == 1) return handshake_step::done;
        const int failure = ::SSL_get_error(ssl_.get(), done);
        if (failure == SSL_ERROR_WANT_READ) return handshake_step::wants_to_read;
        if (failure == SSL_ERROR_WANT_WRITE) return handshake_step::wants_to_write;
        fail(failure);
        return handshake_step::failed;
    }

    std::ptrdiff_t read(char* into, std::size_t most) override {
        const base::lock_guard lock{mutex_};
        if (failed_) return -1;
        ::ERR_clear_error();
        errno = 0;
        return moved(::SSL_read(ssl_.get(), into, at_most(most)));
    }

    std::ptrdiff_t write(std::string_view text) override {
        const base::lock_guard lock{mutex_};
        if (failed_) return -1;
        ::ERR_clear_error();
        errno = 0;
        return moved(::SSL_write(ssl_.get(), text.data(), at_most(text.size())));
    }

    void finish() override {
        const base::lock_guard lock{mutex_};
        if (failed_) return;
        ::ERR_clear_error();
        static_cast<void>(::SSL_shutdown(ssl_.get()));
        ::ERR_clear_error();
    }

    std::string reason() const override {
        const base::lock_guard lock{mutex_};
        return why_.reason;
    }

    bool is_refused() const noexcept override {
        const base::lock_guard lock{mutex_};
        return why_.refused;
    }

private:
    static int at_most(std::size_t count) noexcept {
        return static_cast<int>(std::min<std::size_t>(count, INT_MAX));
    }

    std::ptrdiff_t moved(int count) REQUIRES(mutex_) {
        if (count > 0) return count;
        const int failure = ::SSL_get_error(ssl_.get(), count);
        if (failure == SSL_ERROR_WANT_READ || failure == SSL_ERROR_WANT_WRITE) return 0;
        if (failure == SSL_ERROR_ZERO_RETURN) {
            failed_ = true;
            why_.reason = k_closed;
        } else {
            fail(failure);
        }
        return -1;
    }

    void fail(int failure) REQUIRES(mutex_) {
        failed_ = true;
        why_ = explain(*ssl_, failure, errno, peer_);
    }

    mutable base::mutex mutex_;
    const connection_owner ssl_;
    peer_view peer_ GUARDED_BY(mutex_);
    bool failed_ GUARDED_BY(mutex_) = false;
    greeting_failure why_ GUARDED_BY(mutex_);
};

class openssl_context final : public context {
public:
    openssl_context(context_owner files, const settings& wanted, std::string_view plain_form)
        : context_{std::move(files)},
          verify_{wanted.verify},
          peer_{wanted.server_name, plain_form, !wanted.cert_file.empty()} {}

    std::unique_ptr<stream> open(int fd, const std::string& host) const override {
        connection_owner ssl{::SSL_new(context_.get()), ::SSL_free};
        BIO* const socket = ssl == nullptr ? nullptr : make_socket_bio(fd);
        if (socket == nullptr) throw std::bad_alloc{};
        ::SSL_set_bio(ssl.get(), socket, socket);
        auto peer = peer_;
        if (peer.host.empty()) peer.host = host;
        const bool number = is_number(peer.host);
        // Calls SSL_ctrl() directly, because the macro SSL_set_tlsext_host_name contains a cast that removes const.
        if (!number)
            ::SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                       const_cast<char*>(peer.host.c_str()));
        // Makes OpenSSL ignore the name in the certificate's subject, as RFC 9525, section 2, requires.
        ::X509_VERIFY_PARAM_set_hostflags(::SSL_get0_param(ssl.get()),
                                          X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        // Without this call, OpenSSL accepts a certificate for any name.
        if (verify_ == verification::full &&
            (number
                 ? ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl.get()), peer.host.c_str())
                 : ::SSL_set1_host(ssl.get(), peer.host.c_str())) != 1)
            throw std::bad_alloc{};
        ::SSL_set_connect_state(ssl.get());
        return std::make_unique<openssl_stream>(std::move(ssl), std::move(peer));
    }

private:
    const context_owner context_;
    const verification verify_;
    const peer_view peer_;  // its host is empty, or the name for all servers
};

// Each of the following functions loads a file. It returns an empty text, or the reason why the file is unusable.

std::string load_authorities(SSL_CTX& context, const settings& wanted) {
    const bool loaded =
        wanted.ca_file.empty()
            ? ::SSL_CTX_set_default_verify_paths(&context) == 1
            : ::SSL_CTX_load_verify_locations(&context, wanted.ca_file.c_str(), nullptr) == 1;
    if (!loaded) return "ca_file=" + wanted.ca_file + ": " + first_words();
    if (wanted.crl_file.empty()) return {};
    X509_STORE* const store = ::SSL_CTX_get_cert_store(&context);
    X509_LOOKUP* const lookup = ::X509_STORE_add_lookup(store, ::X509_LOOKUP_file());
    if (lookup == nullptr) throw std::bad_alloc{};
    if (::X509_load_crl_file(lookup, wanted.crl_file.c_str(), X509_FILETYPE_PEM) < 1)
        return "crl_file=" + wanted.crl_file + ": " + first_words();
    ::X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    return {};
}

std::string load_key(SSL_CTX& context, const settings& wanted) {
    if (const auto why = support::exposure_of_key(wanted.key_file); !why.empty())
        return "key_file=" + why;
    std::string password;
    if (!wanted.key_password_file.empty()) {
        try {
            password = support::first_line_of_private_file(wanted.key_password_file);
        } catch (const std::exception& failure) {
            return std::string{"key_password_file="} + failure.what();
        }
        ::SSL_CTX_set_default_passwd_cb_userdata(&context, &password);
    }
    const bool loaded =
        ::SSL_CTX_use_PrivateKey_file(&context, wanted.key_file.c_str(), SSL_FILETYPE_PEM) == 1;
    ::SSL_CTX_set_default_passwd_cb_userdata(&context, nullptr);
    ::OPENSSL_cleanse(password.data(), password.size());
    return loaded ? std::string{} : "key_file=" + wanted.key_file + ": " + first_words();
}

std::string fault_of_files(const settings& wanted) {
    const std::pair<const char*, const std::string&> all[] = {
        {"ca_file=", wanted.ca_file},
        {"crl_file=", wanted.crl_file},
        {"cert_file=", wanted.cert_file},
        {"key_file=", wanted.key_file},
        {"key_password_file=", wanted.key_password_file}};
    for (const auto& [name, file] : all)
        if (const auto why = support::fault_of_repeated_reads(file); !why.empty())
            return name + why;
    return {};
}

std::string load_files(SSL_CTX& context, const settings& wanted) {
    if (auto why = fault_of_files(wanted); !why.empty()) return why;
    ::SSL_CTX_set_default_passwd_cb(&context, give_password);
    if (wanted.verify != verification::none)
        if (auto why = load_authorities(context, wanted); !why.empty()) return why;
    if (wanted.cert_file.empty()) return {};
    if (::SSL_CTX_use_certificate_chain_file(&context, wanted.cert_file.c_str()) != 1)
        return "cert_file=" + wanted.cert_file + ": " + first_words();
    return load_key(context, wanted);
}

}  // namespace

bool has_tls() noexcept {
    return true;
}

context_outcome make_context(const settings& wanted, std::string_view plain_form) {
    ::ERR_clear_error();
    context_owner context{::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free};
    if (context == nullptr) throw std::bad_alloc{};
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    // Requires forward secrecy: a server key that is stolen later must not decrypt a recorded connection.
    ::SSL_CTX_set_cipher_list(context.get(), "DEFAULT:!kRSA:!PSK");
    // Forbids renegotiation, so that a write waits only for space in the socket, and a read only for bytes.
    ::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
    ::SSL_CTX_set_mode(context.get(),
                       SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    ::SSL_CTX_set_verify(context.get(),
                         wanted.verify == verification::none ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                         nullptr);
    if (auto why = load_files(*context, wanted); !why.empty()) return {nullptr, std::move(why)};
    return {std::make_shared<openssl_context>(std::move(context), wanted, plain_form), {}};
}

}  // namespace turnstile::tls
