// SPDX-License-Identifier: Apache-2.0
// probe: one session of any coordinator, driven step by step, with everything that it heard.
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

// Thread safety: one test thread, besides the coordinator's. Every wait has one limit and throws
// std::runtime_error behind it.
class probe final : public core::session_sink {
public:
    // Opens a session and waits until it is attached.
    explicit probe(core::coordinator& servers, const std::string& credentials = {});
    ~probe() { close(); }
    probe(const probe&) = delete;
    probe& operator=(const probe&) = delete;

    // `with_next`: the test submits another request at once.
    core::ticket submit(core::operation op, bool with_next = false);
    core::reply wait(core::ticket id);
    // Each second time it is this thread that reads the answer, where the session takes help.
    core::reply ask(core::operation op);
    // Drops the data watches on a path, and waits until that was carried out.
    void forget(const std::string& path);
    // Asks for what settle() waits for: several sessions settle at a time.
    void begin_settling();
    // Waits until everything is here that the servers had sent to this session when it began.
    void settle();

    // The watch events since the last call, as "created /a"; settles first.
    [[nodiscard]] std::vector<std::string> events();
    // What was heard since the last call, in order: watch events, and "reply 3" with the ticket;
    // settles first.
    [[nodiscard]] std::vector<std::string> heard();
    // Waits for an event to come by itself.
    [[nodiscard]] std::string next_event();

    [[nodiscard]] std::int64_t id() const noexcept { return attached_.session_id; }
    [[nodiscard]] const core::link_event& attached() const noexcept { return attached_; }
    // Ends the session; the probe is silent afterwards.
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
