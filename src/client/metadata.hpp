// SPDX-License-Identifier: Apache-2.0
// metadata: what a contender writes about itself into its znode.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/shared_text.hpp"

namespace turnstile::detail {

// One line of `key=value` pairs, values percent-escaped, for the calling thread and now; tools that
// show the data as text (Curator's getParticipantNodes, zkCli) show it sensibly.
[[nodiscard]] std::string contender_text(std::string_view path, std::string_view label,
                                         std::string_view owner,
                                         std::chrono::milliseconds session_timeout,
                                         std::string_view recipe = {});

// The same for the contenders of one client, but for their paths: one text for all that the same thread starts
// within a second. Thread safety: all members from any thread.
class contender_texts {
public:
    explicit contender_texts(std::chrono::milliseconds session_timeout)
        : session_timeout_{session_timeout} {}
    // With a recipe, of which there are few contenders, a text of its own.
    [[nodiscard]] base::shared_text text(const std::string& label, const std::string& owner,
                                         std::string_view recipe = {});

private:
    struct wording {
        std::chrono::sys_seconds since{};
        pid_t process = 0;
        pid_t thread = 0;
        std::string label;
        std::string owner;
        friend bool operator==(const wording&, const wording&) = default;
    };

    const std::chrono::milliseconds session_timeout_;
    base::mutex mutex_;
    wording latest_ GUARDED_BY(mutex_);
    base::shared_text text_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
