// SPDX-License-Identifier: Apache-2.0
#include "cli/session_closing.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guardian/listener.hpp"
#include "guardian/watch.hpp"

namespace turnstile::cli {
namespace {

constexpr int k_only_descriptor = STDERR_FILENO + 1;
constexpr std::chrono::milliseconds k_idle_turn{60'000};

// The listener as the only descriptor beside the standard ones, which lead nowhere.
base::descriptor drop_all_but(base::descriptor listener) {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    if (listener.get() != k_only_descriptor) {
        ::dup2(listener.get(), k_only_descriptor);
        listener = base::descriptor{k_only_descriptor};
    }
    ::syscall(SYS_close_range, k_only_descriptor + 1, ~0U, 0);
    return listener;
}

}  // namespace

guardian_socket open_guardian_socket() {
    auto name = guardian::random_name();
    auto listener = guardian::open_listener(name);
    return {std::move(name), std::move(listener)};
}

void close_sessions(base::descriptor listener) {
    // From here on there are passwords of sessions in the memory.
    ::prctl(PR_SET_DUMPABLE, 0);
    guardian::watch all;
    all.listen_at(drop_all_but(std::move(listener)));
    all.turn(-1, std::chrono::milliseconds{0});
    while (all.guards() || all.closes()) all.turn(-1, k_idle_turn);
}

}  // namespace turnstile::cli
