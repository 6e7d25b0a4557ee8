// SPDX-License-Identifier: Apache-2.0
// session_recorder: opens a session at real servers, and records each of its events and replies.
//
//     session_recorder me{proxy.address()};
//     me.attached();
//     proxy.cut();
//     EXPECT_EQ(me.wait(me.submit(core::get_op{"/a"})).outcome, core::outcome::unknown);
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::tests {

inline core::session_settings recorder_settings() {
    core::session_settings settings;
    settings.timeout = std::chrono::seconds{10};
    settings.detect_role = false;
    return settings;
}

// A client waits for an answer for a fraction of the session timeout. These settings allow for a request that waits for
// another transaction on a slow machine.
inline core::session_settings patient_settings() {
    auto settings = recorder_settings();
    settings.timeout = std::chrono::minutes{10};
    return settings;
}

// Thread safety: one test thread may use it. Every wait throws at its limit.
class session_recorder final : public core::session_sink {
public:
    explicit session_recorder(const std::string& where,
                              const core::session_settings& settings = recorder_settings())
        : session_recorder{zookeeper::make_coordinator(where), settings} {}
    explicit session_recorder(std::unique_ptr<core::coordinator> servers,
                              const core::session_settings& settings = recorder_settings())
        : coordinator_{std::move(servers)}, session_{coordinator_->open(settings, *this)} {}
    ~session_recorder() { close(); }
    session_recorder(const session_recorder&) = delete;
    session_recorder& operator=(const session_recorder&) = delete;

    core::ticket submit(core::operation operation) {
        const core::ticket id{++last_ticket_};
        session_->submit({id, std::move(operation)});
        return id;
    }
    core::reply wait(core::ticket id) {
        return wait_for<core::reply>([id](const core::reply& r) { return r.id == id; });
    }
    core::reply ask(core::operation operation) { return wait(submit(std::move(operation))); }

    // Waits for a link event of this kind on this connection or on a later connection.
    core::link_event link(core::link_kind kind, std::uint64_t connection = 0) {
        return wait_for<core::link_event>([=](const core::link_event& e) {
            return e.kind == kind && e.connection >= connection;
        });
    }
    core::link_event attached(std::uint64_t connection = 1) {
        return link(core::link_kind::attached, connection);
    }
    core::watch_event watch(const std::string& path) {
        return wait_for<core::watch_event>(
            [&](const core::watch_event& e) { return e.path == path; });
    }

    // Returns all events so far, in order.
    [[nodiscard]] std::vector<core::coordinator_event> heard() const {
        const std::lock_guard held{mutex_};
        return heard_;
    }
    template <class Event>
    [[nodiscard]] std::vector<Event> heard() const {
        std::vector<Event> out;
        for (const auto& event : heard()) {
            if (const auto* wanted = std::get_if<Event>(&event)) out.push_back(*wanted);
        }
        return out;
    }

    // Sets a function that is called after each watch event, in the thread that delivers it. Must be called before the
    // first request.
    void at_watch_event(std::function<void(const core::watch_event&)> reaction) {
        reaction_ = std::move(reaction);
    }

    core::coordinator_session& session() { return *session_; }
    void close() {
        if (session_) session_->close();
    }
    // Destroys the session without closing it, as a forked child does.
    void destroy_session() { session_.reset(); }

    void deliver(core::coordinator_event&& event) noexcept override {
        const auto* const fired = std::get_if<core::watch_event>(&event);
        const auto told = fired != nullptr ? std::optional{*fired} : std::nullopt;
        {
            const std::lock_guard held{mutex_};
            heard_.push_back(std::move(event));
            changed_.notify_all();
        }
        if (told && reaction_) reaction_(*told);
    }

private:
    template <class Event, class Predicate>
    Event wait_for(Predicate&& matches) {
        std::unique_lock held{mutex_};
        std::size_t seen = 0;
        std::optional<Event> found;
        const auto look = [&] {
            for (; seen < heard_.size() && !found; ++seen) {
                const auto* event = std::get_if<Event>(&heard_[seen]);
                if (event != nullptr && matches(*event)) found = *event;
            }
            return found.has_value();
        };
        if (!changed_.wait_until(held, testing::test_deadline{}.at(), look)) {
            throw std::runtime_error{"waited in vain for an event"};
        }
        return *found;
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<core::coordinator_event> heard_;  // guarded by mutex_
    std::atomic<std::uint64_t> last_ticket_ = 0;
    std::function<void(const core::watch_event&)> reaction_;
    std::unique_ptr<core::coordinator> coordinator_;
    std::unique_ptr<core::coordinator_session> session_;
};

}  // namespace turnstile::tests
