// SPDX-License-Identifier: Apache-2.0
#include "cli/term_queue.hpp"

#include <sys/eventfd.h>

#include <utility>

#include "cli/event_descriptor.hpp"

namespace turnstile::cli {
term_queue::term_queue() : ready_{make_event()} {}

void term_queue::accept(std::function<void()> term) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(std::move(term));
    ::eventfd_write(ready_.get(), 1);
}

bool term_queue::run() {
    eventfd_t count = 0;
    ::eventfd_read(ready_.get(), &count);
    std::unique_lock lock{mutex_};
    const auto terms = std::exchange(waiting_, {});
    lock.unlock();
    for (const auto& term : terms) term();
    return !terms.empty();
}

}  // namespace turnstile::cli
