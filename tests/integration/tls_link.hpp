// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of TLS: a certificate, and a client that trusts only this certificate.
#pragma once

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace turnstile::tests {

// A key and its certificate in PEM files. `names` are the alternative names, or empty for none. `owner` is the common
// name, or empty for a name made from `name`.
class own_certificate {
public:
    enum class key_kind { elliptic, rsa };
    explicit own_certificate(const std::filesystem::path& folder, const std::string& name = "own",
                             const char* names = "IP:127.0.0.1", key_kind kind = key_kind::elliptic,
                             const std::string& owner = "")
        : certificate_{(folder / (name + ".crt")).string()},
          key_{(folder / (name + ".key")).string()} {
        const key_owner key{new_key(kind), ::EVP_PKEY_free};
        const certificate_owner x509{::X509_new(), ::X509_free};
        describe(*x509, *key, owner.empty() ? "turnstile test " + name : owner, names);
        write(certificate_, [&](std::FILE* to) { return ::PEM_write_X509(to, x509.get()); });
        write(key_, [&](std::FILE* to) {
            return ::PEM_write_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        });
    }
    [[nodiscard]] const std::string& certificate() const noexcept { return certificate_; }
    [[nodiscard]] const std::string& key() const noexcept { return key_; }

private:
    using key_owner = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
    using certificate_owner = std::unique_ptr<X509, void (*)(X509*)>;

    static EVP_PKEY* new_key(key_kind kind) {
        constexpr std::size_t k_bits = 2'048;
        return kind == key_kind::rsa ? ::EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", k_bits)
                                     : ::EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
    }
    static void describe(X509& x509, EVP_PKEY& key, const std::string& owner,
                         const char* all_names) {
        constexpr long k_version_3 = 2;
        constexpr long k_day = 86'400;
        ::X509_set_version(&x509, k_version_3);
        ::ASN1_INTEGER_set(::X509_get_serialNumber(&x509), 1);
        ::X509_gmtime_adj(::X509_getm_notBefore(&x509), -k_day);
        ::X509_gmtime_adj(::X509_getm_notAfter(&x509), k_day);
        ::X509_set_pubkey(&x509, &key);
        const auto* const word = reinterpret_cast<const unsigned char*>(owner.c_str());
        auto* const subject = ::X509_get_subject_name(&x509);
        ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, word, -1, -1, 0);
        ::X509_set_issuer_name(&x509, subject);
        if (*all_names != '\0') {
            const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> names{
                ::X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, all_names),
                ::X509_EXTENSION_free};
            ::X509_add_ext(&x509, names.get(), -1);
        }
        ::X509_sign(&x509, &key, ::EVP_sha256());
    }
    template <class F>
    static void write(const std::string& file, const F& work) {
        std::FILE* const to = std::fopen(file.c_str(), "w");
        ::fchmod(::fileno(to), 0600);
        work(to);
        std::fclose(to);
    }

    std::string certificate_;
    std::string key_;
};

// A connection to a port of 127.0.0.1 with a fixed version of TLS.
class tls_link {
public:
    // By default the connection also offers outdated ciphers.
    tls_link(std::uint16_t port, const own_certificate& trusted, int version,
             const char* ciphers = "ALL:@SECLEVEL=0")
        : context_{::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free},
          socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
        if (::connect(socket_, plain, sizeof address) != 0) return;
        ::SSL_CTX_set_min_proto_version(context_.get(), version);
        ::SSL_CTX_set_max_proto_version(context_.get(), version);
        ::SSL_CTX_set_cipher_list(context_.get(), ciphers);
        ::SSL_CTX_load_verify_file(context_.get(), trusted.certificate().c_str());
        ::SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
        link_.reset(::SSL_new(context_.get()));
        ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(link_.get()), "127.0.0.1");
        ::SSL_set_fd(link_.get(), socket_);
        open_ = ::SSL_connect(link_.get()) == 1;
    }
    ~tls_link() {
        link_.reset();
        ::close(socket_);
    }
    tls_link(const tls_link&) = delete;
    tls_link& operator=(const tls_link&) = delete;

    // True if the certificate is valid and both sides support the version.
    [[nodiscard]] bool open() const noexcept { return open_; }
    [[nodiscard]] std::string version() const { return ::SSL_get_version(link_.get()); }
    void send(const std::string& bytes) const {
        ::SSL_write(link_.get(), bytes.data(), static_cast<int>(bytes.size()));
    }
    // Reads until `text` arrives or the connection ends. Returns everything that arrived.
    [[nodiscard]] std::string receive_until(const std::string& text) const {
        std::string all;
        std::array<char, 65'536> room{};
        while (all.find(text) == std::string::npos) {
            const int count = ::SSL_read(link_.get(), room.data(), static_cast<int>(room.size()));
            if (count <= 0) break;
            all.append(room.data(), static_cast<std::size_t>(count));
        }
        return all;
    }

private:
    std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
    int socket_;
    std::unique_ptr<SSL, void (*)(SSL*)> link_{nullptr, ::SSL_free};
    bool open_ = false;
};

}  // namespace turnstile::tests
