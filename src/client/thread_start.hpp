// SPDX-License-Identifier: Apache-2.0
// thread_start: the name of one of the library's threads, and the user's function that runs around the thread's work
// (runtime_options::around).
//
// Thread safety: a value; start() from any thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <boost/thread/thread.hpp>

#include "base/out_of_memory.hpp"
#include "base/thread_name.hpp"
#include "client/user_code.hpp"
#include "support/signals.hpp"
#include "turnstile/runtime.hpp"

namespace turnstile::detail {

struct thread_start {
    using hook = std::function<void(const runtime_thread&, const std::function<void()>&)>;

    thread_duty duty = thread_duty::callbacks;
    std::string name;  // no longer than k_longest_thread_name
    hook around{};

    // Starts a thread that blocks all signals except fault signals; `before` may change the mask. `before` and `work`
    // must not throw. start() throws boost::thread_resource_error if no thread can be started.
    [[nodiscard]] boost::thread start(std::function<void()> before,
                                      std::function<void()> work) const {
        const support::block_signals blocked;
        // Moves the work out of the function that the thread's handle stores. So the work is destroyed when it is done,
        // and not with the handle.
        return boost::thread{[*this, before = std::move(before), work = std::move(work)]() mutable {
            base::name_this_thread(name);
            if (before) before();
            const auto own = std::exchange(work, nullptr);
            run(own);
        }};
    }

private:
    void run(const std::function<void()>& work) const {
        bool begun = false;
        const auto once = [&] {
            if (!std::exchange(begun, true)) base::finish_or_end(name.c_str(), work);
        };
        if (around) {
            const runtime_thread self{duty, name};
            run_user_code("runtime_options::around", [&] { around(self, once); });
        }
        once();
    }
};

}  // namespace turnstile::detail
