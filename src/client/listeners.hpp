// SPDX-License-Identifier: Apache-2.0
// listeners: the listeners to the changes of a client's sessions, and the changes that are not delivered yet.
//
// Changes are delivered in order. If a listener is slow, several undelivered changes of one session become one change.
// A change to `lost`, `auth_failed` or `closed` is always delivered. A listener gets only the changes after its
// registration. A listener that is registered after the client has closed gets the change to `closed`.
//
//     listener_list    a list of listeners to any news, without undelivered news; recipes use it, too
//     listener_entry   one listener, whose calls do not overlap
//
// Thread safety: all members from any thread. `add` only enqueues.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
#include "client/callback_queue.hpp"
#include "client/internals.hpp"
#include "client/user_code.hpp"
#include "turnstile/client.hpp"

namespace turnstile::detail {

// A listener. Its calls must not overlap.
template <class News>
class listener_entry {
public:
    using function = std::function<void(News)>;

    explicit listener_entry(function listener) : listener_{std::move(listener)} {}

    void call(News news) {
        {
            const base::lock_guard lock{mutex_};
            if (ended_) return;
            caller_ = boost::this_thread::get_id();
        }
        const finisher done{*this};
        run_user_code("a listener", [&] { listener_(news); });
    }
    // Waits for a running call, except from inside that call. The listener is not called afterwards.
    void end() {
        function unused;  // destroyed under no lock
        const boost::this_thread::disable_interruption uninterrupted;
        const auto me = boost::this_thread::get_id();
        base::unique_lock lock{mutex_};
        ended_ = true;
        while (caller_ != boost::thread::id{} && caller_ != me) changed_.wait(lock);
        if (caller_ != me) unused.swap(listener_);
    }

private:
    struct finisher {
        listener_entry& of;
        ~finisher() {
            const base::lock_guard lock{of.mutex_};
            of.caller_ = {};
            of.changed_.notify_all();
        }
    };

    function listener_;  // used without a lock only by the thread that calls it
    base::mutex mutex_;
    base::condition_variable changed_;
    bool ended_ GUARDED_BY(mutex_) = false;
    boost::thread::id caller_ GUARDED_BY(mutex_);
};

// A list of listeners. tell() calls them one after the other, on the thread that calls tell().
//
// Thread safety: all members from any thread. The destructor of a listener's handle waits for a running call of that
// listener, except from inside that call. The listener is not called afterwards. If a listener throws, the exception is
// logged, and the other listeners are called.
template <class News>
class listener_list {
public:
    [[nodiscard]] listener_handle add(std::function<void(News)> listener) {
        auto added = std::make_shared<entry>(std::move(listener));
        const base::lock_guard lock{mutex_};
        std::erase_if(entries_, [](const auto& listed) { return listed.expired(); });
        entries_.push_back(added);
        // The handle refers to the entry through a shared pointer, because the list may keep the entry alive during a
        // call.
        return internals::make_handle([added] { added->end(); });
    }

    void tell(News news) {
        std::vector<std::weak_ptr<entry>> all;
        {
            const base::lock_guard lock{mutex_};
            all = entries_;
        }
        for (const auto& listed : all)
            if (const auto live = listed.lock()) live->call(news);
    }

private:
    using entry = listener_entry<News>;

    base::mutex mutex_;
    std::vector<std::weak_ptr<entry>> entries_ GUARDED_BY(mutex_);
};

class listeners : public std::enable_shared_from_this<listeners> {
public:
    using function = std::function<void(const session_change&)>;

    explicit listeners(std::shared_ptr<callback_queue> callbacks)
        : callbacks_{std::move(callbacks)} {}

    void publish(const session_change& step);
    [[nodiscard]] listener_handle add(function listener);

private:
    struct numbered_listener;
    struct numbered {
        std::uint64_t number = 0;
        session_change step;
    };

    void deliver();

    const std::shared_ptr<callback_queue> callbacks_;
    base::mutex mutex_;
    std::uint64_t published_ GUARDED_BY(mutex_) = 0;
    std::optional<session_change> closed_ GUARDED_BY(mutex_);  // the first session's last change
    std::deque<numbered> pending_ GUARDED_BY(mutex_);
    std::vector<std::weak_ptr<numbered_listener>> registered_ GUARDED_BY(mutex_);
};

}  // namespace turnstile::detail
