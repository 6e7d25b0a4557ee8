// SPDX-License-Identifier: Apache-2.0
// A process of the campaign: plays some recipes over its own links to the servers until it gets SIGTERM, and records
// the library's answers in its notes.
//
//     turnstile_campaign_worker NOTES NAME SEED QUICK_MS SLOW_MS TICK_MS SYNC_LIMIT SERVERS ROLE...
//
// The worker has two sessions, with the timeouts QUICK_MS and SLOW_MS. TICK_MS and SYNC_LIMIT are settings of
// ZooKeeper, and 0 for other servers.
#include <pthread.h>
#include <sys/prctl.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "player.hpp"

namespace campaign {
namespace {

struct role {
    const char* name;
    void (*play)(player&);
};
constexpr std::array k_roles{
    role{"mutex", play_mutex},       role{"recursive", play_recursive},
    role{"retained", play_retained}, role{"multi", play_multi},
    role{"commit", play_commits},    role{"put", play_put},
    role{"shared", play_shared},     role{"semaphore", play_semaphore},
    role{"election", play_election}, role{"latch", play_latch},
    role{"job", play_job},           role{"rate", play_rate},
    role{"checked", play_checked},   role{"operator", play_operator},
    role{"again", play_again},
};

void (*player_of(std::string_view name))(player&) {
    for (const auto& role : k_roles) {
        if (name == role.name) return role.play;
    }
    std::cerr << "no role " << name << '\n';
    std::exit(2);
}

turnstile::client_options options_for(const std::vector<std::string>& arguments,
                                      const std::string& timeout) {
    turnstile::client_options options;
    options.session_timeout = milliseconds{std::stoi(timeout)};
    options.lease.tick = milliseconds{std::stoi(arguments[6])};
    options.lease.sync_limit = std::stoi(arguments[7]);
    options.retry_longest = milliseconds{500};
    options.label = arguments[2];
    if (const char* const guardian = std::getenv("TURNSTILE_CAMPAIGN_GUARDIAN"))
        options.guardian = {turnstile::guardian_use::started, guardian};
    // Half of the workers connect to the leader, whose answers extend a lease at once.
    if (options.lease.sync_limit != 0 && arguments[2].back() % 2 != 0)
        options.server = turnstile::server_preference::leader;
    return options;
}

int run(const std::vector<std::string>& arguments) {
    sigset_t ends;
    ::sigemptyset(&ends);
    ::sigaddset(&ends, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);

    notes out{arguments[1]};
    // The worker has two sessions with different timeouts. Each role is the use of one recipe. Every second role uses
    // the quick session as its main session. The other roles use the slow session as their main session.
    const std::string& where = arguments[8];
    turnstile::client quick{where, options_for(arguments, arguments[4])};
    turnstile::client slow{where, options_for(arguments, arguments[5])};
    std::stop_source ending;
    std::vector<std::jthread> threads;
    out.write(boottime_clock::now(), "begin", 0, "pid={}", ::getpid());
    for (std::size_t i = 9; i != arguments.size(); ++i) {
        threads.emplace_back([&, i, play = player_of(arguments[i])] {
            player player{out,
                          i % 2 != 0 ? quick : slow,
                          i % 2 != 0 ? slow : quick,
                          where,
                          arguments[2],
                          std::stoull(arguments[3]) * 1'000 + i,
                          ending.get_token()};
            play(player);
        });
    }
    int signal = 0;
    ::sigwait(&ends, &signal);
    out.write(boottime_clock::now(), "ending", 0, "");
    ending.request_stop();
    threads.clear();
    out.write(boottime_clock::now(), "closing", 0, "");
    quick.close();
    slow.close();
    out.write(boottime_clock::now(), "end", 0, "");
    return 0;
}

}  // namespace
}  // namespace campaign

int main(int argc, char** argv) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::vector<std::string> arguments{argv, argv + argc};
    if (argc < 10) {
        std::cerr << "usage: worker NOTES NAME SEED QUICK_MS SLOW_MS TICK_MS SYNC_LIMIT SERVERS "
                     "ROLE...\n";
        return 2;
    }
    try {
        return campaign::run(arguments);
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
