// SPDX-License-Identifier: Apache-2.0
// master_watch: asks the sentinels whether they have replaced the master, while the session's server still answers.
//
// A master that was cut off from its sentinels, or whose process was stopped, may continue for seconds beside its
// replacement. So the session asks the sentinels, one after the other, over permanent connections. The session asks all
// of them within a third of the session timeout. The new master keeps a session for longer than that.
//
// No member blocks. A sentinel that has not answered is asked again when its turn comes. A sentinel that has refused is
// asked again over a new connection, because an inquiry logs in only once. The log gets a sentinel's refusal once, and
// again only after the sentinel has answered.
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

// The latest logged refusal of each sentinel. The map outlives the connections of the session.
using told_refusals = std::map<std::string, std::string>;

class master_watch {
public:
    // `where`, `tls` and `told` must outlive this object. `sentinels`: the inquiries that find_servers() used when it
    // found `attached_to`, also to sentinels that did not answer.
    master_watch(const connect_string& where, const tls_context* tls, sentinel_inquiries sentinels,
                 server_address attached_to, std::int64_t epoch, core::duration session_timeout,
                 told_refusals& told);

    // The descriptor and the events for poll() (-1: no descriptor), and the time at which the session must call `go_on`
    // at the latest.
    [[nodiscard]] int fd() const noexcept;
    [[nodiscard]] short awaited() const noexcept;
    [[nodiscard]] core::time_point due() const noexcept { return due_; }
    // Asks the next sentinel if its turn has come, and reads the answers that have arrived.
    void go_on(core::time_point now);
    // The new master, once a sentinel has named another master than the session's server; else nothing.
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
