// block_signals: blocks all signals for the calling thread while it lives, so that the threads that
// are started meanwhile take none of the program's. Thread safety: one object, one thread.
#pragma once

#include <csignal>

namespace turnstile::base {

class block_signals {
public:
    block_signals() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~block_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    block_signals(const block_signals&) = delete;
    block_signals& operator=(const block_signals&) = delete;

private:
    sigset_t before_{};
};

}  // namespace turnstile::base
