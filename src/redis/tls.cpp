// SPDX-License-Identifier: Apache-2.0
#include "redis/tls.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
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
#include <system_error>
#include <utility>

#include "base/mutex.hpp"
#include "base/private_file.hpp"
#include "redis/socket_bio.hpp"
#include "turnstile/error.hpp"

namespace turnstile::redis {
namespace {

using context_owner = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;
using connection_owner = std::unique_ptr<SSL, void (*)(SSL*)>;

bool is_number(const std::string& host) noexcept {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// What OpenSSL says first, which is the cause; nothing is left behind for the program's own use of it.
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

// A file is not read by asking at the terminal for its passphrase.
int no_passphrase(char* /*into*/, int /*size*/, int /*writing*/, void* /*data*/) {
    return 0;
}

struct greeting_failure {
    std::string reason;
    bool refused = false;
};

// Of a certificate that was refused: `verdict` is X509_V_ERR_...
std::string distrust(long verdict, const std::string& host) {
    switch (verdict) {
        case X509_V_ERR_HOSTNAME_MISMATCH:
        case X509_V_ERR_IP_ADDRESS_MISMATCH:
            return fmt::format("its certificate is not for the name {}", host);
        case X509_V_ERR_CERT_HAS_EXPIRED: return "its certificate has expired";
        case X509_V_ERR_CERT_NOT_YET_VALID: return "its certificate is not valid yet";
        default: break;
    }
    return fmt::format(
        "its certificate is of no authority that is trusted here ({}); ca_file names one",
        ::X509_verify_cert_error_string(verdict));
}

greeting_failure explain(const SSL& ssl, int failure, int system_error, const std::string& host) {
    const auto verdict = ::SSL_get_verify_result(&ssl);
    if (verdict != X509_V_OK && ::SSL_get_verify_mode(&ssl) != SSL_VERIFY_NONE) {
        ::ERR_clear_error();
        return {distrust(verdict, host), true};
    }
    if (failure == SSL_ERROR_SYSCALL && ::ERR_peek_error() == 0) {
        return {system_error == 0 ? "it closed the connection"
                                  : std::generic_category().message(system_error)};
    }
    switch (ERR_GET_REASON(::ERR_peek_last_error())) {
        case SSL_R_WRONG_VERSION_NUMBER:
            ::ERR_clear_error();
            return {"it answers, but does not speak TLS: redis:// is without", true};
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
            ::ERR_clear_error();
            return {"it wants a certificate of the client: cert_file and key_file name it", true};
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
            ::ERR_clear_error();
            return {"it does not trust the client's certificate (cert_file)", true};
        case SSL_R_UNEXPECTED_EOF_WHILE_READING:
            ::ERR_clear_error();
            return {"it closed the connection"};
        default: break;
    }
    return {"TLS: " + first_words()};
}

class openssl_stream final : public tls_stream {
public:
    openssl_stream(connection_owner ssl, std::string host)
        : ssl_{std::move(ssl)}, host_{std::move(host)} {}

    tls_progress go_on() override {
        const base::lock_guard lock{mutex_};
        if (failed_) return tls_progress::failed;
        ::ERR_clear_error();
        errno = 0;
        const int done = ::SSL_connect(ssl_.get());
        if (done == 1) return tls_progress::done;
        const int failure = ::SSL_get_error(ssl_.get(), done);
        if (failure == SSL_ERROR_WANT_READ) return tls_progress::wants_to_read;
        if (failure == SSL_ERROR_WANT_WRITE) return tls_progress::wants_to_write;
        fail(failure);
        return tls_progress::failed;
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
            why_.reason = "it closed the connection";
        } else {
            fail(failure);
        }
        return -1;
    }

    void fail(int failure) REQUIRES(mutex_) {
        failed_ = true;
        why_ = explain(*ssl_, failure, errno, host_);
    }

    mutable base::mutex mutex_;
    const connection_owner ssl_;
    const std::string host_;
    bool failed_ GUARDED_BY(mutex_) = false;
    greeting_failure why_ GUARDED_BY(mutex_);
};

class openssl_context final : public tls_context {
public:
    openssl_context(context_owner context, tls_verification verify)
        : context_{std::move(context)}, verify_{verify} {}

    std::unique_ptr<tls_stream> open(int fd, const std::string& host) const override {
        connection_owner ssl{::SSL_new(context_.get()), ::SSL_free};
        BIO* const socket = ssl == nullptr ? nullptr : make_socket_bio(fd);
        if (socket == nullptr) throw std::bad_alloc{};
        ::SSL_set_bio(ssl.get(), socket, socket);
        const bool number = is_number(host);
        // As the macro SSL_set_tlsext_host_name, which casts.
        if (!number)
            ::SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                       const_cast<char*>(host.c_str()));
        // A name in the subject alone does not count (RFC 9525, section 2).
        ::X509_VERIFY_PARAM_set_hostflags(::SSL_get0_param(ssl.get()),
                                          X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
        // OpenSSL accepts a certificate for any name if the client names no host.
        if (verify_ == tls_verification::full &&
            (number ? ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl.get()), host.c_str())
                    : ::SSL_set1_host(ssl.get(), host.c_str())) != 1)
            throw std::bad_alloc{};
        return std::make_unique<openssl_stream>(std::move(ssl), host);
    }

private:
    const context_owner context_;
    const tls_verification verify_;
};

// Empty, or why a file is not to be used.
std::string load_files(SSL_CTX& context, const tls_settings& settings) {
    ::SSL_CTX_set_default_passwd_cb(&context, no_passphrase);
    if (settings.verify != tls_verification::none) {
        const bool loaded =
            settings.ca_file.empty()
                ? ::SSL_CTX_set_default_verify_paths(&context) == 1
                : ::SSL_CTX_load_verify_locations(&context, settings.ca_file.c_str(), nullptr) == 1;
        if (!loaded) return fmt::format("ca_file={}: {}", settings.ca_file, first_words());
    }
    if (settings.cert_file.empty()) return {};
    if (::SSL_CTX_use_certificate_chain_file(&context, settings.cert_file.c_str()) != 1)
        return fmt::format("cert_file={}: {}", settings.cert_file, first_words());
    if (const auto why = base::exposure_of_key(settings.key_file); !why.empty())
        return "key_file=" + why;
    if (::SSL_CTX_use_PrivateKey_file(&context, settings.key_file.c_str(), SSL_FILETYPE_PEM) != 1)
        return fmt::format("key_file={}: {}", settings.key_file, first_words());
    return {};
}

}  // namespace

bool has_tls() noexcept {
    return true;
}

result<std::shared_ptr<const tls_context>> make_tls_context(const tls_settings& settings) {
    if (!settings.enabled) return std::shared_ptr<const tls_context>{};
    ::ERR_clear_error();
    context_owner context{::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free};
    if (context == nullptr) throw std::bad_alloc{};
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    // A server's key that is stolen later must not open recorded connections.
    ::SSL_CTX_set_cipher_list(context.get(), "DEFAULT:!kRSA:!PSK");
    // A write waits for nothing but room, a read for nothing but bytes.
    ::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
    ::SSL_CTX_set_mode(context.get(),
                       SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    ::SSL_CTX_set_verify(
        context.get(),
        settings.verify == tls_verification::none ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
    if (auto why = load_files(*context, settings); !why.empty())
        return error{errc::bad_option, std::move(why)};
    return std::shared_ptr<const tls_context>{
        std::make_shared<openssl_context>(std::move(context), settings.verify)};
}

}  // namespace turnstile::redis
