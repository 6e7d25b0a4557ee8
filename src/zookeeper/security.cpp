// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/security.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "modules/find.hpp"

namespace turnstile::zookeeper {
namespace {

class plain_stream final : public tls::stream {
public:
    explicit plain_stream(int fd) noexcept : fd_{fd} {}

    [[nodiscard]] tls::handshake_step go_on() override { return tls::handshake_step::done; }
    [[nodiscard]] std::ptrdiff_t read(char* into, std::size_t most) override {
        const auto n = ::recv(fd_, into, most, 0);
        if (n == 0) reason_ = tls::k_closed;
        return n == 0 ? -1 : outcome(n);
    }
    [[nodiscard]] std::ptrdiff_t write(std::string_view text) override {
        return outcome(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL));
    }
    void finish() override { ::shutdown(fd_, SHUT_WR); }
    [[nodiscard]] std::string reason() const override { return reason_; }
    [[nodiscard]] bool is_refused() const noexcept override { return false; }

private:
    std::ptrdiff_t outcome(std::ptrdiff_t n) {
        if (n >= 0) return n;
        if (errno == EAGAIN || errno == EINTR) return 0;
        reason_ = std::strerror(errno);
        return -1;
    }

    const int fd_;
    std::string reason_;
};

class plain_context final : public tls::context {
public:
    [[nodiscard]] std::unique_ptr<tls::stream> open(int fd,
                                                    const std::string& /*host*/) const override {
        return std::make_unique<plain_stream>(fd);
    }
};

// A context without TLS, whose streams send and receive the bytes unchanged. It is used for SASL without TLS.
std::shared_ptr<const tls::context> make_plain_context() {
    return std::make_shared<plain_context>();
}

}  // namespace

tls::context_outcome context_for(const server_security& wanted) {
    if (!wanted.tls.enabled) return {make_plain_context(), {}};
    const auto module = modules::find(modules::module_kind::tls, k_secure_scheme);
    if (!module) return {nullptr, module.error().detail()};
    return (*module)->make_tls_context(wanted.tls,
                                       "for a connection without TLS, use a connect string without "
                                       "zookeepers://, and a port other than secureClientPort");
}

tls::sasl_outcome exchange_for(const sasl_options& wanted, const std::string& host) {
    const auto module = modules::find(modules::module_kind::tls, "sasl");
    if (!module) return {nullptr, module.error().detail()};
    return (*module)->make_sasl_exchange(wanted, host);
}

}  // namespace turnstile::zookeeper
