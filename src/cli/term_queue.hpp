// SPDX-License-Identifier: Apache-2.0
// term_queue: an executor that runs an election's terms on the thread that waits for signals. A term is the function
// that a participant runs while it leads.
//
// Thread safety: accept() from any thread, the other members from one thread.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "support/descriptor.hpp"

namespace turnstile::cli {

class term_queue {
public:
    // Throws std::system_error.
    term_queue();

    void accept(std::function<void()> term);
    // Returns a descriptor that is readable while a function waits for run().
    [[nodiscard]] int descriptor() const noexcept { return ready_.get(); }
    // Runs the functions that accept() has stored. Returns false if no function was stored.
    bool run();

private:
    const support::descriptor ready_;
    std::mutex mutex_;
    std::deque<std::function<void()>> waiting_;  // guarded by mutex_
};

}  // namespace turnstile::cli
