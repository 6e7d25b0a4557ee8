// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/plain_context.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

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

}  // namespace

std::shared_ptr<const tls::context> make_plain_context() {
    return std::make_shared<plain_context>();
}

}  // namespace turnstile::zookeeper
