// SPDX-License-Identifier: Apache-2.0
// master_watch: whether the sentinels have made another server the master, while a session is at one that answers.
//
// A master that was cut off from its sentinels, or stood still, goes on for seconds beside the one that replaced it. So
// the sentinels are asked one after the other, one at a time, over connections that stay. All of them are asked within a
// third of the session time-out: what the new master knows of a session lives for longer.
//
// Nothing blocks. A sentinel that does not answer is asked again when its turn comes, and so is one that refuses: over a
// new connection, since a login is tried once. The log has each sentinel's refusal once, until that sentinel answers.
//
// Thread safety: none of its own: on the session's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redis/master_search.hpp"

namespace turnstile::redis {

// What the log has of each sentinel that refuses, across attaches.
using told_refusals = std::map<std::string, std::string>;

class master_watch {
public:
    // `where`, `tls` and `told` live longer. `sentinels`: those that were asked when `attached_to` was found, also the
    // ones that were away.
    master_watch(const connect_string& where, const tls_context* tls, sentinel_inquiries sentinels,
                 server_address attached_to, std::int64_t epoch, core::duration session_timeout,
                 told_refusals& told);

    // For poll(): the descriptor (-1: none) and the events, and when to come back at the latest.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short awaited() const noexcept;
    [[nodiscard]] core::time_point due() const noexcept { return due_; }
    // What is to be done now.
    void go_on(core::time_point now);
    // The new master, once a sentinel has named another one than the session's server.
    [[nodiscard]] const std::optional<server_address>& switched() const noexcept {
        return switched_;
    }
    [[nodiscard]] std::int64_t epoch() const noexcept {
        return epoch_;
    }  // the latest that was told

private:
    struct sentinel {
        server_address name;
        server_address address;                     // as it was then: no name is resolved
        std::unique_ptr<sentinel_inquiry> inquiry;  // null once its line is of no use
    };

    void ask(core::time_point now);
    void tell_of_refusal(const sentinel_answer& answer);
    void judge(const sentinel_answer& answer);

    const connect_string& where_;
    const tls_context* tls_;
    const server_address attached_to_;
    told_refusals& told_;
    std::int64_t epoch_;
    core::duration interval_{};
    std::vector<sentinel> sentinels_;
    std::size_t at_ = 0;
    core::time_point due_ = core::time_point::max();
    std::optional<server_address> switched_;
};

}  // namespace turnstile::redis
