// SPDX-License-Identifier: Apache-2.0
// probe: one session of any coordinator, driven step by step. It records every event and reply.
//
//     probe p{servers};
//     const core::reply made = p.ask(core::create_op{"/a"});
//     p.ask(core::get_op{"/a", core::watch_mode::watch});
//     other.ask(core::remove_op{"/a"});
//     EXPECT_THAT(p.events(), ElementsAre("deleted /a"));
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/seam/coordinator.hpp"

namespace turnstile::contract {

// Thread safety: one test thread, besides the coordinator's. Every wait has the same limit, and throws
// std::runtime_error after it.
class probe final : public core::session_sink {
public:
    // Opens a session and waits until it is attached.
    explicit probe(core::coordinator& servers, const std::string& credentials = {});
    ~probe() { close(); }
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    // `with_next`: the test will submit another request at once.
    core::ticket submit(core::operation op, bool with_next = false);
    core::reply wait(core::ticket id);
    // Sends a request and waits for the reply. Every second time this thread reads the reply, if the session
    // accepts help.
    core::reply ask(core::operation op);
    // Drops the data watches on a path, and waits until the server has done so.
    void forget(const std::string& path);
    // Sends the request that settle() waits for, so that several sessions can settle at the same time.
    void begin_settling();
    // Waits for all messages that the servers had sent to this session before the wait began.
    void settle();

    // Returns the watch events since the last call, as "created /a". Settles first.
    [[nodiscard]] std::vector<std::string> events();
    // Returns all messages since the last call, in order: watch events, and "reply 3" with the ticket.
    // Settles first.
    [[nodiscard]] std::vector<std::string> heard();
    // Waits for the next event.
    [[nodiscard]] std::string next_event();

    [[nodiscard]] std::int64_t id() const noexcept { return attached_.session_id; }
    [[nodiscard]] const core::link_event& attached() const noexcept { return attached_; }
    // Ends the session. The probe records nothing afterwards.
    void close();

    void deliver(core::coordinator_event&& event) noexcept override;

private:
    core::reply read(core::ticket id);
    template <class Predicate>
    void wait_until(std::unique_lock<std::mutex>& held, const char* context, Predicate&& is_there);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<core::ticket, core::reply> replies_;  // guarded by mutex_
    std::vector<std::string> heard_;               // guarded by mutex_
    std::vector<std::string> events_;              // guarded by mutex_
    std::vector<core::link_event> links_;          // guarded by mutex_
    std::uint64_t last_ticket_ = 0;
    std::optional<core::ticket> settling_;
    core::link_event attached_;
    std::unique_ptr<core::coordinator_session> session_;
};

[[nodiscard]] std::string to_string(const core::watch_event& event);
[[nodiscard]] std::string to_string(core::server_error error);

}  // namespace turnstile::contract

namespace turnstile::core {

// For GoogleTest's messages.
inline void PrintTo(server_error error, std::ostream* out) {
    *out << contract::to_string(error);
}

}  // namespace turnstile::core
