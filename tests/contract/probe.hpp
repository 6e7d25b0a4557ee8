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

// Thread safety: for one test thread beside the coordinator's threads. Every wait has the same limit, and throws
// std::runtime_error at its end.
class probe final : public core::session_sink {
public:
    // Opens a session and waits until it is attached.
    explicit probe(core::coordinator& servers, const std::string& credentials = {});
    ~probe() { close(); }
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    // Submits a request. `with_next`: the test will submit another request at once.
    core::ticket submit(core::operation op, bool with_next = false);
    core::reply wait(core::ticket id);
    // Sends a request and waits for the reply. If the session accepts help, this thread itself reads every second
    // reply.
    core::reply ask(core::operation op);
    // Gives up the data watches on a path, and waits until the server has removed them.
    void forget(const std::string& path);
    // Sends the request whose reply settle() waits for. So several sessions can settle at the same time.
    void begin_settling();
    // Waits for all messages that the servers sent to this session before the wait began.
    void settle();

    // Returns the watch events since the last call, in the form "created /a". Settles first.
    [[nodiscard]] std::vector<std::string> events();
    // Returns all messages since the last call, in order: watch events, and replies in the form "reply 3", where 3 is
    // the ticket. Settles first.
    [[nodiscard]] std::vector<std::string> heard();
    // Waits for the next watch event, and returns it as text.
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

// Prints an error for GoogleTest's messages.
inline void PrintTo(server_error error, std::ostream* out) {
    *out << contract::to_string(error);
}

}  // namespace turnstile::core
