// SPDX-License-Identifier: Apache-2.0
// master_watch: checks whether sentinels have replaced the master, while the session's server still answers.
//
// A master that was cut off from its sentinels, or was stopped, may continue for seconds beside its replacement. So
// the watch asks the sentinels, one at a time, over permanent connections. It asks all of them within a third of the
// session timeout: the new master keeps a session's data for longer.
//
// Nothing blocks. A sentinel that does not answer is asked again when its turn comes. So is a sentinel that refuses,
// over a new connection, since a login is tried once. The log has each sentinel's refusal once, until it answers.
//
// Thread safety: none by itself: on the session's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redis/master_search.hpp"

namespace turnstile::redis {

// The logged refusal of each sentinel, across attaches.
using told_refusals = std::map<std::string, std::string>;

class master_watch {
public:
    // `where`, `tls` and `told` live longer. `sentinels`: the sentinels that were asked when `attached_to` was found,
    // including absent ones.
    master_watch(const connect_string& where, const tls_context* tls, sentinel_inquiries sentinels,
                 server_address attached_to, std::int64_t epoch, core::duration session_timeout,
                 told_refusals& told);

    // The descriptor and events for poll() (-1: no descriptor), and the latest time of the next call.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short awaited() const noexcept;
    [[nodiscard]] core::time_point due() const noexcept { return due_; }
    // Does everything that is due now.
    void go_on(core::time_point now);
    // The new master, once a sentinel has named a master other than the session's server.
    [[nodiscard]] const std::optional<server_address>& switched() const noexcept {
        return switched_;
    }
    [[nodiscard]] std::int64_t epoch() const noexcept {
        return epoch_;
    }  // the latest epoch that a sentinel reported

private:
    struct sentinel {
        server_address name;
        server_address address;                     // from that time: no name is resolved
        std::unique_ptr<sentinel_inquiry> inquiry;  // null once its line is useless
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
