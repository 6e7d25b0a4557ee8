// SPDX-License-Identifier: Apache-2.0
// per_process: one value for each process. A forked child gets a new value, since a mutex in its parent's value may
// stay locked for ever in the child.
//
//     registry& of_this_process() {
//         static base::per_process<registry> all;
//         return all.get();
//     }
//
// No value is ever destroyed, so that every thread may use it until the process ends.
//
// Thread safety: from any thread; the value itself has to be thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/process.hpp"

namespace turnstile::base {

template <typename Value>
class per_process {
public:
    per_process() : current_{new entry} {}

    [[nodiscard]] Value& get() {
        entry* found = current_.load();
        if (found->process == process_generation()) return found->value;
        auto fresh = std::make_unique<entry>();
        fresh->parents = found;
        if (current_.compare_exchange_strong(found, fresh.get())) return fresh.release()->value;
        return found->value;
    }

private:
    struct entry {
        const std::uint64_t process = process_generation();
        entry* parents =
            nullptr;  // the entry of the process that forked this one: leak checkers still see it
        Value value;
    };

    std::atomic<entry*> current_;
};

}  // namespace turnstile::base
