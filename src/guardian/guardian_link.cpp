// SPDX-License-Identifier: Apache-2.0
#include "guardian/guardian_link.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <variant>

#include "base/log.hpp"
#include "guardian/start.hpp"
#include "turnstile/guardian.hpp"

namespace turnstile::guardian {
namespace {

constexpr std::string_view k_consequence =
    "if this process crashes, its locks stay taken for the session timeout";
constexpr std::size_t k_longest_refusal = 256;  // bytes
constexpr int k_most_refusals = 16;             // at a time

std::string_view inherited_name() noexcept {
    const char* name = std::getenv(k_guardian_variable);
    return name == nullptr ? std::string_view{} : name;
}

// Keeps the connection to the guardian (guardian_link) that all clients of the process share. Makes a new connection if
// the guardian has ended, or after fork().
class registry {
public:
    std::shared_ptr<guardian_link> obtain(const guardian_settings& settings) EXCLUDES(mutex_) {
        const base::lock_guard lock{mutex_};
        if (auto there = link_.lock(); there && there->alive() && !there->forked()) return there;
        auto socket = reach(settings);
        if (!socket.open()) return nullptr;
        auto fresh = std::make_shared<guardian_link>(std::move(socket));
        link_ = fresh;
        return fresh;
    }

private:
    static support::descriptor reach(const guardian_settings& settings) {
        if (const auto name = inherited_name(); !name.empty()) {
            auto socket = connect_to(name);
            if (socket.open() || settings.use == guardian_use::inherited) return socket;
        }
        if (settings.use == guardian_use::inherited) {
            log::write(log_level::warning, "no guardian: {} is not set; {}", k_guardian_variable,
                       k_consequence);
            return {};
        }
        return start(settings.program);
    }

    static support::descriptor connect_to(std::string_view name) {
        auto socket = connect_guardian(name);
        if (!socket.open())
            log::write(log_level::warning, "no guardian at {}: {}; {}", name, std::strerror(errno),
                       k_consequence);
        return socket;
    }

    static support::descriptor start(const std::string& program) {
        auto socket = start_guardian(program);
        if (!socket.open())
            log::write(log_level::warning,
                       "cannot start the guardian {}: {}; guardian_settings::program "
                       "names another place; {}",
                       program.empty() ? installed_guardian() : program, std::strerror(errno),
                       k_consequence);
        return socket;
    }

    base::mutex mutex_;
    std::weak_ptr<guardian_link> link_ GUARDED_BY(mutex_);
};

// Never destroyed, because static clients may use it until the process ends.
registry& links() {
    static auto* const all = new registry;
    return *all;
}

}  // namespace

guardian_link::guardian_link(support::descriptor socket) noexcept : socket_{std::move(socket)} {
    say_hello();
}

// If the guardian has ended, its end of the socket is closed. The poll() detects this even before the next message.
bool guardian_link::guards() const noexcept {
    if (gone_ || missed_ || forked()) return false;
    pollfd end{socket_.get(), 0, 0};
    return ::poll(&end, 1, 0) == 0;
}

bool guardian_link::ends(std::string_view servers) noexcept {
    if (!guards()) return false;
    try {
        const base::lock_guard lock{mutex_};
        read_refusals();
        return !refused_.contains(scheme_of(servers));
    } catch (const std::bad_alloc&) {
        return false;
    }
}

void guardian_link::read_refusals() {
    std::array<std::byte, k_longest_refusal> bytes;
    for (int i = 0; i != k_most_refusals; ++i) {
        const auto got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got <= 0) return;
        const auto told = decode(std::span{bytes}.first(static_cast<std::size_t>(got)));
        const auto* const refusal = told ? std::get_if<cannot_end>(&*told) : nullptr;
        if (refusal == nullptr || !refused_.insert(refusal->scheme).second) continue;
        log::write(
            log_level::warning,
            "the guardian cannot end sessions with {} servers: install turnstile-session-end in "
            "the guardian's folder, and the module for these servers; {}",
            refusal->scheme, k_consequence);
    }
}

void guardian_link::failed(int why) noexcept {
    // The kernel reports ETOOMANYREFS while too many sent descriptors wait for the guardian to read them.
    const bool lags = why == EAGAIN || why == ENOBUFS || why == ETOOMANYREFS;
    missed_ = true;
    if (!lags) gone_ = true;
    if (logged_.exchange(true)) return;
    log::write(log_level::warning, "the guardian {} ({}); {}",
               lags ? "does not read its messages" : "is gone", std::strerror(why), k_consequence);
}

void guardian_link::send(const message& value, int passed) noexcept {
    if (gone_ || forked()) return;
    try {
        auto bytes = encode(value);
        iovec part{bytes.data(), bytes.size()};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
        msghdr whole{};
        whole.msg_iov = &part;
        whole.msg_iovlen = 1;
        if (passed >= 0) {
            whole.msg_control = room.data();
            whole.msg_controllen = room.size();
            cmsghdr* const head = CMSG_FIRSTHDR(&whole);
            head->cmsg_level = SOL_SOCKET;
            head->cmsg_type = SCM_RIGHTS;
            head->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(head), &passed, sizeof passed);
        }
        const auto sent = ::sendmsg(socket_.get(), &whole, MSG_NOSIGNAL | MSG_DONTWAIT);
        const int why = errno;
        ::explicit_bzero(bytes.data(), bytes.size());
        if (sent < 0) failed(why);
    } catch (...) {
        failed(ENOMEM);
    }
}

void guardian_link::say_hello() noexcept {
    const support::descriptor self{static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))};
    if (!self.open()) return failed(errno);
    send(hello{}, self.get());
}

std::uint64_t guardian_link::keep_open(int descriptor) noexcept {
    const auto number = next_number();
    send(guardian::keep_open{number}, descriptor);
    return number;
}

bool is_inherited() noexcept {
    return !inherited_name().empty();
}

std::shared_ptr<guardian_link> obtain(const guardian_settings& settings) {
    if (settings.use == guardian_use::off) return nullptr;
    return links().obtain(settings);
}

}  // namespace turnstile::guardian
