// SPDX-License-Identifier: Apache-2.0
// metadata: makes the text that describes a contender's owner. The client writes this text into the contender's znode.
//
//     contender_texts   makes these texts for all contenders of a client
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/shared_text.hpp"

namespace turnstile::detail {

// Describes the calling thread and the present time in one line of `key=value` pairs with percent-escaped values. The
// line is readable in tools that print a znode's data (Curator's getParticipantNodes, zkCli).
[[nodiscard]] std::string contender_text(std::string_view label, std::string_view owner,
                                         std::chrono::milliseconds session_timeout,
                                         std::string_view recipe = {});

// Calls contender_text() for the contenders of one client. Contenders that a thread starts within one second can share
// one text. Thread safety: all members from any thread.
class contender_texts {
public:
    explicit contender_texts(std::chrono::milliseconds session_timeout)
        : session_timeout_{session_timeout} {}
    // Returns the text for a new contender. Makes a new text if `recipe` is not empty: the recipes that set it have few
    // contenders.
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
