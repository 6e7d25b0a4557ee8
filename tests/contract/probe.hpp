// SPDX-License-Identifier: Apache-2.0
// probe: a session of any coordinator for tests. It records each event and reply.
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

// Thread safety: one test thread may use it. Every wait throws std::runtime_error at its limit.
class probe final : public core::session_sink {
public:
    explicit probe(core::coordinator& servers, const std::string& credentials = {});
    ~probe() { close(); }
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    // Submits a request. `with_next`: another request follows at once.
    core::ticket submit(core::operation op, bool with_next = false);
    core::reply wait(core::ticket id);
    // Sends a request and waits for the reply. If callers may read the session's messages (help()), this thread reads
    // every second reply itself.
    core::reply ask(core::operation op);
    // Gives up the data watches on a path. Returns when the server has removed them.
    void forget(const std::string& path);
    // Sends the request whose answer settle() waits for. A test can call this for several sessions, and then settle()
    // for each, so that they wait at the same time.
    void begin_settling();
    // Waits for all messages that the servers have sent to this session so far.
    void settle();

    // Waits as settle() does, and returns the watch events since the last call, as "created /a".
    [[nodiscard]] std::vector<std::string> events();
    // Waits as settle() does, and returns all messages since the last call in order: watch events, and replies as
    // "reply 3", where 3 is the ticket.
    [[nodiscard]] std::vector<std::string> heard();
    [[nodiscard]] std::string next_event();

    [[nodiscard]] std::int64_t id() const noexcept { return attached_.session_id; }
    [[nodiscard]] const core::link_event& attached() const noexcept { return attached_; }
    // Ends the session. Later messages are not recorded.
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

// Shows an error in GoogleTest's messages.
inline void PrintTo(server_error error, std::ostream* out) {
    *out << contract::to_string(error);
}

}  // namespace turnstile::core
