// SPDX-License-Identifier: Apache-2.0
// wanted_lock: the lock, or the set of locks, that `run` acquires.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/run_options.hpp"
#include "turnstile/any_lock.hpp"
#include "turnstile/client.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/multi_lock.hpp"

namespace turnstile::cli {

class wanted_lock {
public:
    // Throws std::system_error: bad_path, bad_option.
    wanted_lock(const client& servers, const run_options& options);

    // Acquires the lock as the options say. A triggered stop token ends the wait.
    [[nodiscard]] result<guard> take(acquire_options how);

private:
    bool try_only_;
    std::vector<any_lock> locks_;
    std::unique_ptr<multi_lock> all_;
};

// Returns the contenders at the path that wait in one queue with contenders of this kind.
[[nodiscard]] result<std::vector<contender>> queue_at(const client& servers,
                                                      const std::string& path, wanted_kind kind,
                                                      const query_options& limits);

}  // namespace turnstile::cli
