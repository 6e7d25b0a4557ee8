// SPDX-License-Identifier: Apache-2.0
#include "client/guarded_end.hpp"

#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <thread>

#include "base/back_off.hpp"
#include "base/random.hpp"
#include "client/back_ends.hpp"
#include "guardian/message.hpp"
#include "support/secrets.hpp"
#include "turnstile/clock.hpp"

namespace turnstile::detail {
namespace {

constexpr std::chrono::milliseconds k_first_pause{10};
constexpr std::chrono::milliseconds k_longest_pause{1'000};
constexpr std::chrono::seconds k_attempt{5};

std::optional<guardian::guard_module_session> read_session(int socket) {
    std::array<std::byte, guardian::k_longest_message> bytes;
    const auto got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got <= 0) return std::nullopt;
    const auto told = guardian::decode(std::span{bytes}.first(static_cast<std::size_t>(got)));
    ::explicit_bzero(bytes.data(), bytes.size());
    if (!told || !std::holds_alternative<guardian::guard_module_session>(*told))
        return std::nullopt;
    return std::get<guardian::guard_module_session>(*told);
}

int fail(const char* servers, const std::string& why) {
    std::fprintf(stderr,
                 "turnstile-session-end: the locks of a dead process on %s stay taken for the "
                 "session timeout: %s\n",
                 servers, why.c_str());
    return 1;
}

int end_session(const modules::entry& module, const char* scheme,
                const guardian::guard_module_session& told) {
    const auto give_up = boottime_clock::now() + told.timeout;
    base::back_off pauses{k_first_pause, k_longest_pause};
    auto chance = base::random::from_system();
    for (;;) {
        const auto until = std::min(give_up, boottime_clock::now() + k_attempt);
        const auto done =
            module.end_session({told.servers, told.timeout, told.id, told.proof}, until);
        if (done) return 0;
        const auto pause = pauses.draw(chance);
        if (boottime_clock::now() + pause >= give_up) return fail(scheme, done.error().detail());
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

int end_guarded_session(const char* scheme, int socket) noexcept {
    try {
        support::forbid_core_files();
        // Ignores SIGPIPE, because OpenSSL writes to broken connections.
        std::signal(SIGPIPE, SIG_IGN);
        const auto module = module_of(scheme);
        if (!module) return fail(scheme, module.error().detail());
        if ((*module)->end_session == nullptr)
            return fail(scheme, "the module cannot end sessions of dead processes");
        const auto told = read_session(socket);
        // The guardian sends no session if no session needs to be ended any more.
        if (!told) return 0;
        return end_session(**module, scheme, *told);
    } catch (const std::exception& failure) {
        return fail(scheme, failure.what());
    }
}

}  // namespace turnstile::detail
