// SPDX-License-Identifier: Apache-2.0
// listener_list: a list of listeners. tell() calls them one after the other, on the thread that calls tell().
//
// Thread safety: all members from any thread. The destructor of a listener's handle waits for a running call of that
// listener, except from inside that call. The listener is not called afterwards. If a listener throws, the exception is
// logged, and the other listeners are called.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/thread/thread.hpp>

#include "base/mutex.hpp"
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

}  // namespace turnstile::detail
