// SPDX-License-Identifier: Apache-2.0
#include "admin/http/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "support/private_file.hpp"

namespace turnstile::admin {
namespace {

// The ciphers with forward secrecy in TLS 1.2. All ciphers of TLS 1.3 have it.
constexpr const char* k_ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:!aNULL";

[[noreturn]] void fail(const std::string& file, const char* rule) {
    const char* const reason = ::ERR_reason_error_string(::ERR_peek_last_error());
    throw std::runtime_error{file + ": " + rule + (reason != nullptr ? ": " : "") +
                             (reason != nullptr ? reason : "")};
}

// This check is necessary because OpenSSL's error for an unreadable file is only "system lib".
void check_readable(const std::string& file) {
    if (::access(file.c_str(), R_OK) != 0)
        throw std::runtime_error{file + ": cannot be read: " + std::strerror(errno)};
}

// True if the key does not match the certificate. OpenSSL compares the key with the certificate as soon as it has read
// both files.
bool is_of_another() {
    return ERR_GET_REASON(::ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
}

// OpenSSL calls this function if the key has a passphrase. OpenSSL's own function would ask for the passphrase on the
// terminal, and leave the terminal without echo if a signal ended the process.
int give_no_passphrase(char* /*room*/, int /*size*/, int /*writes*/, void* is_asked) {
    *static_cast<bool*>(is_asked) = true;
    return -1;
}

[[noreturn]] void fail_key(const std::string& file, bool has_passphrase) {
    if (has_passphrase)
        throw std::runtime_error{
            file + ": the key has a passphrase; a key without a passphrase is needed"};
    if (is_of_another()) throw std::runtime_error{file + ": is not the key of the certificate"};
    fail(file, "expected a private key in PEM");
}

}  // namespace

void tls_context::end::operator()(ssl_ctx_st* context) const noexcept {
    ::SSL_CTX_free(context);
}

tls_context::tls_context(const std::string& certificate_file, const std::string& key_file)
    : context_{::SSL_CTX_new(::TLS_server_method())} {
    if (!context_) throw std::runtime_error{"OpenSSL cannot make a context for TLS"};
    ::SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
    ::SSL_CTX_set_options(context_.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    if (::SSL_CTX_set_cipher_list(context_.get(), k_ciphers) != 1)
        throw std::runtime_error{"OpenSSL has no cipher with forward secrecy"};
    check_readable(certificate_file);
    check_readable(key_file);
    if (const auto why = support::exposure_of_key(key_file); !why.empty())
        throw std::runtime_error{why};
    if (::SSL_CTX_use_certificate_chain_file(context_.get(), certificate_file.c_str()) != 1)
        fail(certificate_file, "expected a certificate chain in PEM");
    bool has_passphrase = false;
    ::SSL_CTX_set_default_passwd_cb(context_.get(), give_no_passphrase);
    ::SSL_CTX_set_default_passwd_cb_userdata(context_.get(), &has_passphrase);
    if (::SSL_CTX_use_PrivateKey_file(context_.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1)
        fail_key(key_file, has_passphrase);
    if (::SSL_CTX_check_private_key(context_.get()) != 1) fail_key(key_file, false);
    ::SSL_CTX_set_default_passwd_cb_userdata(context_.get(), nullptr);
}

ssl_ctx_st* tls_context::share() const {
    ::SSL_CTX_up_ref(context_.get());
    return context_.get();
}

}  // namespace turnstile::admin
