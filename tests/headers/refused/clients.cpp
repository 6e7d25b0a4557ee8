// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "turnstile/turnstile.hpp"

void connect(const char* from_the_environment) {
    const turnstile::client by_literal{"local:"};
    const turnstile::client by_pointer{from_the_environment};
    const turnstile::client by_string{std::string{"local:"}};
#ifdef REFUSED_null
    const turnstile::client none{nullptr};  // refused: deleted
#endif
}

// A temporary client would close before its lock is first used.
void lock(const turnstile::client& servers) {
    using turnstile::client;
    using turnstile::deadlock_detector;
    const turnstile::mutex orders{servers, "/a", {.cohort = 1}};
#ifdef REFUSED_mutex
    const turnstile::mutex used{client{"local:"}, "/a"};  // refused: deleted
#endif
#ifdef REFUSED_mutex_with_options
    const turnstile::mutex used{client{"local:"}, "/a", {.cohort = 1}};  // refused: deleted
#endif
#ifdef REFUSED_recursive_mutex
    const turnstile::recursive_mutex used{client::from_environment(), "/a"};  // refused: deleted
#endif
#ifdef REFUSED_shared_mutex
    const turnstile::shared_mutex used{client{"local:"}, "/a"};  // refused: deleted
#endif
#ifdef REFUSED_semaphore
    const turnstile::semaphore used{client{"local:"}, "/a", 2};  // refused: deleted
#endif
#ifdef REFUSED_stored_semaphore
    const turnstile::semaphore used{client{"local:"}, "/a"};  // refused: deleted
#endif
#ifdef REFUSED_leader
    const turnstile::leader used{client{"local:"}, "/a", {.id = "a"}};  // refused: deleted
#endif
#ifdef REFUSED_leader_with_function
    const turnstile::leader used{client{"local:"}, "/a", [](auto&) {}};  // refused: deleted
#endif
#ifdef REFUSED_leader_watch
    const turnstile::leader_watch used{client{"local:"}, "/a", [](auto&) {}};  // refused: deleted
#endif
#ifdef REFUSED_job_gate
    const turnstile::job_gate used{client{"local:"}, "/a", {}};  // refused: deleted
#endif
#ifdef REFUSED_rate_gate
    const turnstile::rate_gate used{client{"local:"}, "/a", {}};  // refused: deleted
#endif
#ifdef REFUSED_revocation
    const turnstile::revocation used{client{"local:"}, "/a"};  // refused: deleted
#endif
#ifdef REFUSED_deadlock_detector
    const deadlock_detector used{client{"local:"}, {"/a"}};  // refused: deleted
#endif
#ifdef REFUSED_deadlocks_below
    const auto used = deadlock_detector::below(client{"local:"}, "/a");  // refused: deleted
#endif
#ifdef REFUSED_quorum_member
    const turnstile::quorum_member used{client{"redis://a"}};  // refused: deleted
#endif
}
