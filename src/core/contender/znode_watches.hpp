// SPDX-License-Identifier: Apache-2.0
// znode_watches: the watches of one contender: on the znodes for which it waits (awaited_znodes), on its own znode
// (own_znode_watch), and, while it holds the lock, on the contenders behind it (contenders_watch).
//
// Thread safety: none, values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "base/path.hpp"
#include "core/contender/answers.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/contender_name.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

struct awaited_znode {
    std::string child;     // name in the folder; empty: the folder itself
    std::uint64_t on = 0;  // number of the connection with the watch; 0: not watched
    pending_ticket probing;

    [[nodiscard]] std::string path(const std::string& folder) const {
        return child.empty() ? folder : base::child_path(folder, child);
    }
    friend bool operator==(const awaited_znode&, const awaited_znode&) = default;
};

// awaited_znodes: the set of znodes that a waiter watches in its lock's folder, in the order of their names. If the set
// contains the folder itself, the folder comes first.
//
// The set nearly always has one znode: the nearest contender ahead. A semaphore's first waiter watches the holders, and
// the folder. The set is compact, because a process may have a hundred thousand waiters, each with a set.
class awaited_znodes {
public:
    // Adds the znode `child`, and returns a pointer to it. Returns nullptr if the set contains the znode already.
    const awaited_znode* add(std::string_view child) {
        if (find(child) != nullptr) return nullptr;
        const auto behind = std::find_if(all_.begin(), all_.end(),
                                         [&](const auto& znode) { return znode.child > child; });
        return &*all_.insert(behind, awaited_znode{std::string{child}, 0, {}});
    }
    [[nodiscard]] awaited_znode* find(const std::string& folder, std::string_view path) {
        if (!path.starts_with(folder)) return nullptr;
        path.remove_prefix(folder.size());
        if (path.empty()) return find(std::string_view{});
        return path.starts_with('/') && path.size() > 1 ? find(path.substr(1)) : nullptr;
    }
    // Removes the znode and returns its name. Pointers to other znodes of the set become invalid.
    std::string remove(const awaited_znode& znode) {
        const auto position = all_.begin() + (&znode - all_.data());
        auto name = std::move(position->child);
        all_.erase(position);
        return name;
    }
    template <class F>
    void remove_if(F&& unwanted) {
        all_.erase(std::remove_if(all_.begin(), all_.end(), unwanted), all_.end());
    }
    // Unregisters the contender from the watches on all znodes of the set, and clears the set.
    void give_back(contender_session& c, const std::string& folder) {
        for (const auto& znode : all_) c.unwatch(znode.path(folder));
        all_.clear();
    }
    [[nodiscard]] std::vector<std::string> take_paths(const std::string& folder) {
        std::vector<std::string> paths;
        for (const auto& znode : all_) paths.push_back(znode.path(folder));
        all_.clear();
        return paths;
    }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

    [[nodiscard]] auto begin() noexcept { return all_.begin(); }
    [[nodiscard]] auto end() noexcept { return all_.end(); }
    [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
    [[nodiscard]] auto end() const noexcept { return all_.end(); }

    friend bool operator==(const awaited_znodes&, const awaited_znodes&) = default;

private:
    [[nodiscard]] awaited_znode* find(std::string_view name) {
        const auto found = std::find_if(all_.begin(), all_.end(),
                                        [&](const auto& znode) { return znode.child == name; });
        return found == all_.end() ? nullptr : &*found;
    }

    boost::container::small_vector<awaited_znode, 1> all_;
};

// own_znode_watch: the watch on a contender's own znode, and the instant up to which the znode's content is known.
//
// Another program may write an order to leave into the znode (revocation.hpp), and a person may delete the znode. A
// watch reports both the write and the deletion. A get without a watch shows only the content at the time of the
// request. So before a grant without a watch, the latest get must be recent.
class own_znode_watch {
public:
    own_znode_watch() = default;
    // Makes the watch of a new znode. `asked_at`: the send time of the request that created the znode. No client can
    // have written into this znode before that time.
    explicit own_znode_watch(time_point asked_at) : seen_at_{asked_at} {}

    // True if the contender knows of every write of another client into the znode, except a write so recent that it
    // does not matter for a grant.
    [[nodiscard]] bool is_fresh(const contender_session& c) const {
        // place: own_znode_is_seen
        return watched_on_ == c.connection() || c.now() < seen_at_ + c.unseen_for();
    }
    [[nodiscard]] bool is_watched_on(std::uint64_t connection) const noexcept {
        return watched_on_ == connection;
    }
    [[nodiscard]] bool sets_watch() const noexcept { return static_cast<bool>(watching_); }
    [[nodiscard]] bool asks() const noexcept { return watching_ || looking_; }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return watching_.is(id) || looking_.is(id);
    }
    [[nodiscard]] bool expects_watch(ticket id) const noexcept { return watching_.is(id); }

    // Sets the watch, unless it is set on this connection or its request is in progress.
    void watch(contender_session& c, const std::string& path);
    // Reads the znode (get) without setting a watch, unless a request is in progress.
    void look(contender_session& c, const std::string& path);
    // Handles the watch event. Returns true if the watch cannot fire again, since the znode is gone.
    [[nodiscard]] bool on_event(watch_kind kind) noexcept;
    // Called when a request that checked the znode's version has shown another client's write. The watch must be set
    // again.
    void was_changed() noexcept { watched_on_ = 0; }
    // Handles the answer to a request of this object. Returns true if the request should have set the watch, but the
    // znode was gone. Then the caller must unregister the watch at the session.
    [[nodiscard]] bool on_answer(const reply& answer);
    // Forgets the watch. Returns true if the session still has the watch registered; then the caller must unregister
    // the watch at the session.
    [[nodiscard]] bool give_back() noexcept;

    friend bool operator==(const own_znode_watch&, const own_znode_watch&) = default;

private:
    pending_ticket watching_;
    pending_ticket looking_;        // a read that sets no watch
    std::uint64_t watched_on_ = 0;  // number of the connection with the watch; 0: not watched
    time_point seen_at_{};          // the instant before which every write is known
    bool interest_ = false;
};

// contenders_watch: reports once to a hold that other contenders queue behind it (the *report*). A retained lock, which
// a process keeps between the holds of its threads, needs this report.
//
// A request for the folder's children (list) sets the watch, once after the grant and again on each new connection. If
// the answer shows no contender behind, the next event is reported as an arrival. A child that is no contender may
// cause that event: the holder then gives the lock up without need, which is safe. The watch reports only once, since
// the holder gives the lock up after the report.
//
// The removal of the holder's own znode fires the watch. So a holder that has removed its znode need not drop the watch
// at the servers. If another client has removed the znode, the request may have set the watch after that removal. Then
// the holder must drop the watch.
class contenders_watch {
public:
    enum class removed_by { us, others };

    [[nodiscard]] bool is_watched_on(std::uint64_t connection) const noexcept {
        return watched_on_ == connection;
    }
    // True if the watch is set, and its event will cause the report that contenders queue behind the hold.
    [[nodiscard]] bool rests_on_event() const noexcept { return watched_on_ != 0 && !reported_; }
    // True if contenders behind the hold were reported already, or if a request or a watch on this connection will
    // report them.
    [[nodiscard]] bool needs_no_list(std::uint64_t connection) const noexcept {
        // place: looks_behind_once
        return reported_ || listing_ || watched_on_ == connection;
    }
    [[nodiscard]] bool expects(ticket id) const noexcept { return listing_.is(id); }

    void list(contender_session& c, const std::string& folder);
    // Requires a new request for the folder's children. Its answer shows what a lost event would have reported.
    void look_again() noexcept { watched_on_ = 0; }
    // Returns `done` if contenders queue behind `own`, or if the hold cannot notice arrivals.
    consequence on_answer(const std::string& own, contender_family of, const reply& answer);
    // Notes that the hold gets the report that contenders queue behind it. Returns true only at the first call.
    [[nodiscard]] bool take_report() noexcept;
    void give_back(contender_session& c, const std::string& folder, removed_by remover);

    friend bool operator==(const contenders_watch&, const contenders_watch&) = default;

private:
    pending_ticket listing_;
    std::uint64_t watched_on_ = 0;  // number of the connection with the watch; 0: no watch
    bool interest_ = false;         // registered at the session for events of the folder
    bool reported_ = false;
};

}  // namespace turnstile::core
