// SPDX-License-Identifier: Apache-2.0
// process_generation, process_mark: distinguish a process from the children that it forks. per_process: a value for
// each of these processes.
//
// Purpose: a forked child has copies of its parent's sockets, but none of its parent's threads. So the child must not
// use a client that the parent made. An object stores the generation at its construction, and later compares it with
// the present generation.
//
// Thread safety: from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace turnstile::base {

// Returns a number that differs between a process and its forked children. Only forks after the first call are counted,
// so call it once before the fork that has to be noticed.
[[nodiscard]] std::uint64_t process_generation() noexcept;

// A member of this type stores the process that makes the object.
class process_mark {
public:
    // clang 14 would not initialize a const process_mark without this constructor.
    process_mark() noexcept : generation_{process_generation()} {}

    // True if this is a forked child of the process that made the object.
    [[nodiscard]] bool forked() const noexcept { return process_generation() != generation_; }

private:
    std::uint64_t generation_;
};

// The class has one value for each process. A forked child gets a new value, since a mutex in its parent's value may
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
