// SPDX-License-Identifier: Apache-2.0
// master_watch: asks the sentinels whether they have replaced the master, while the session's server still replies.
//
// A master that was disconnected from its sentinels, or whose process was stopped, may continue for seconds beside its
// replacement. So the session asks one sentinel after another over permanent connections, and all of them within a
// third of the session timeout. A new master keeps sessions for longer than that.
//
// No member blocks. If a sentinel has not replied, the session asks that sentinel again when its turn comes. After a
// refusal, the session uses a new connection, because an inquiry logs in only once. The session logs the refusal of a
// sentinel once. It logs the same refusal again only after the sentinel has sent another reply.
//
// Thread safety: none. Use a master_watch only on the session's thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redis/master_search.hpp"

namespace turnstile::redis {

// For each sentinel's name, the refusal that the session has logged last.
using told_refusals = std::map<std::string, std::string>;

class master_watch {
public:
    // `where`, `tls` and `told` must outlive this object. `sentinels`: the inquiries of find_servers(), including
    // inquiries without a reply. `attached_to`: the session's server.
    master_watch(const redis_address& where, const tls::context* tls, sentinel_inquiries sentinels,
                 server_address attached_to, std::int64_t epoch, core::duration session_timeout,
                 told_refusals& told);

    // fd() returns the descriptor for poll() (-1: none), awaited() the events for poll(), and due() the time at which
    // the session must call `go_on` at the latest.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short awaited() const noexcept;
    [[nodiscard]] core::time_point due() const noexcept { return due_; }
    // Asks the next sentinel if it is time, and reads the replies that have arrived.
    void go_on(core::time_point now);
    // The new master, if a sentinel has named another master than the session's server.
    [[nodiscard]] const std::optional<server_address>& switched() const noexcept {
        return switched_;
    }
    [[nodiscard]] std::int64_t epoch() const noexcept {
        return epoch_;
    }  // the latest epoch that a sentinel reported

private:
    struct sentinel {
        server_address name;
        server_address address;                     // resolved when the session attached
        std::unique_ptr<sentinel_inquiry> inquiry;  // null once its connection is useless
    };

    void ask(core::time_point now);
    void tell_of_refusal(const sentinel_answer& answer);
    void judge(const sentinel_answer& answer);

    const redis_address& where_;
    const tls::context* tls_;
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
