// SPDX-License-Identifier: Apache-2.0
// session_traces: a session's watches, its removals that wait or are in progress, its abandoned creates, and the
// numbers of its contenders that have left.
//
//     watch_registry   the contenders that each watch informs
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"
#include "core/session/abandoned_creates.hpp"
#include "core/session/batches.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_core_settings.hpp"
#include "core/session/sole_contender_memory.hpp"

namespace turnstile::core {

// watch_registry: stores which contenders of a session are interested in the events of each znode. While the session
// has no connection, also stores which watches the servers must drop on the next connection.
//
// The servers keep one watch for each session and path, however often it was set, and report each event to the session
// once. So this registry counts the interested contenders. An event goes to all interested contenders. When no
// contender is interested any more, the session drops the watch at the servers. If one of several interested contenders
// leaves, the watch that it may have set stays, because the other contenders may have set no watch.
//
// After each break of a connection the C client sends all watched paths in one packet (`send_set_watches`), and a
// server refuses a packet above its jute.maxbuffer. So the registry also counts the bytes of the paths.
class watch_registry {
public:
    void add(const std::string& path, contender_id id) {
        const auto [entry, is_new] = paths_.try_emplace(path);
        if (is_new) bytes_ += path.size();
        entry->second.interested.insert(id);
        given_back_.erase(path);
    }

    // Notes that the contender is not interested in the path any more. Returns true if no other contender is interested
    // in the path.
    [[nodiscard]] bool remove(const std::string& path, contender_id id) {
        const auto entry = find(path, id);
        if (entry == paths_.end()) return false;
        entry->second.inherited = true;
        return leave(entry, id).is_last;
    }

    // Notes that a contender, which has set no watch itself, is not interested in the path any more. Returns true if no
    // other contender is interested, and a contender that left before may have set a watch, which still exists.
    [[nodiscard]] bool remove_unset(const std::string& path, contender_id id) {
        const auto entry = find(path, id);
        if (entry == paths_.end()) return false;
        const auto left = leave(entry, id);
        return left.is_last && left.inherited;
    }

    // Stores a path in which no contender is interested any more. On the next connection the session requests that the
    // servers drop the watch on that path.
    void give_back_later(const std::string& path) { given_back_.insert(path); }
    [[nodiscard]] std::set<std::string> take_given_back() { return std::exchange(given_back_, {}); }

    // Returns the contenders that are interested in the event.
    [[nodiscard]] std::vector<contender_id> fired(const watch_event& event) {
        auto all = interested(event.path);
        if (event.kind == watch_kind::deleted) drop(event.path);
        return all;
    }

    [[nodiscard]] std::vector<contender_id> interested(const std::string& path) const {
        const auto entry = paths_.find(path);
        if (entry == paths_.end()) return {};
        return {entry->second.interested.begin(), entry->second.interested.end()};
    }

    // Called when the znode is gone. The servers have then dropped the watch on it.
    void drop(const std::string& path) {
        const auto entry = paths_.find(path);
        if (entry != paths_.end()) erase(entry);
    }
    [[nodiscard]] bool contains(const std::string& path) const { return paths_.contains(path); }
    // Number of paths in which contenders are interested, and the sum of their bytes.
    [[nodiscard]] std::size_t size() const noexcept { return paths_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    friend bool operator==(const watch_registry&, const watch_registry&) = default;

private:
    struct watched_path {
        id_set interested;       // never empty
        bool inherited = false;  // an earlier contender of the path may have set the watch
        friend bool operator==(const watched_path&, const watched_path&) = default;
    };
    using paths = std::map<std::string, watched_path>;
    struct departure {
        bool is_last = false;
        bool inherited = false;  // an earlier contender may have set the watch
    };

    // Returns the entry of the path if the contender is interested in it; the end iterator otherwise.
    [[nodiscard]] paths::iterator find(const std::string& path, contender_id id) {
        const auto entry = paths_.find(path);
        if (entry == paths_.end() || entry->second.interested.contains(id)) return entry;
        return paths_.end();
    }
    departure leave(paths::iterator entry, contender_id id) {
        auto& interested = entry->second.interested;
        interested.erase(id);
        if (!interested.empty()) return {};
        const bool inherited = entry->second.inherited;
        erase(entry);
        return {true, inherited};
    }
    void erase(paths::iterator entry) noexcept {
        TURNSTILE_CHECK(bytes_ >= entry->first.size());
        bytes_ -= entry->first.size();
        paths_.erase(entry);
    }

    paths paths_;
    std::size_t bytes_ = 0;
    std::set<std::string> given_back_;
};

class session_traces {
public:
    enum class sending { in_turn, all };

    explicit session_traces(const session_core_settings& settings)
        : removal_limits_{settings.removals}, chroot_{settings.chroot} {}

    // ---- sessions at the servers (epochs), and their connections ----
    void open() { epoch_.emplace().removals = removal_queue{removal_limits_}; }
    void leave() noexcept;
    // attach() requests that the servers drop the watches that became needless while the session had no connection
    // (watch_registry). detach() is called when the connection has ended.
    void attach(session_basics& basics);
    void detach() noexcept {
        attached_ = false;
        search_.reset();
        if (epoch_) epoch_->sole.detached();
    }

    // ---- watches (watch_registry) --------
    void watch(const std::string& path, contender_id id);
    void unwatch(const std::string& path, contender_id id, session_basics& basics);
    void unwatch_gone(const std::string& path, contender_id id, session_basics& basics);
    [[nodiscard]] std::vector<contender_id> fired(const watch_event& event, session_basics& basics);
    [[nodiscard]] std::size_t watched_paths() const noexcept;
    // Returns the bytes of the watched paths, with the chroot before each path.
    [[nodiscard]] std::size_t watched_bytes() const noexcept;

    // ---- folders in which the next contender is perhaps the only one (sole_contender_memory.hpp) ----
    // Returns true if the session should watch the folder.
    [[nodiscard]] bool number_entered(const std::string& folder, contender_family of,
                                      std::int32_t number, session_basics& basics);
    void number_probed(const std::string& folder, std::int32_t number, session_basics& basics);
    void number_leaves(const std::string& folder, contender_family of, std::int32_t number,
                       session_basics& basics);
    void number_left(const std::string& folder, contender_family of, std::int32_t number) {
        if (epoch_) epoch_->sole.left(folder, of, number);
    }
    void folder_watch_sent(const std::string& folder, ticket request);
    void folder_watch_answered(const std::string& folder, const reply& answer,
                               session_basics& basics);
    [[nodiscard]] std::size_t watched_folders() const {
        return epoch_ ? epoch_->sole.watched() : 0;
    }
    // Allowed only while there is a session at the servers (epoch).
    [[nodiscard]] const sole_contender_memory& sole() const noexcept { return epoch_->sole; }

    // ---- removals (batches.hpp) ----
    void gather_removals(bool begins) noexcept {
        if (epoch_) epoch_->removals.gather(begins);
    }
    [[nodiscard]] bool is_crowded() const noexcept { return epoch_->removals.crowded(); }
    void remove_later(removal&& wanted);
    [[nodiscard]] bool has_removals(sending which) const noexcept;
    // Returns the removals to send next. Also requests that the servers drop those watches of the removed contenders
    // that no other contender needs.
    [[nodiscard]] std::vector<removal> take_removals(session_basics& basics);
    void removal_sent(ticket request) { epoch_->removals.sent(request); }
    void removal_answered(ticket request) { epoch_->removals.answered(request); }
    void removal_over(const removal& removed) { epoch_->removals.over(removed); }
    void removals_go_on();

    // ---- creates whose answer was lost (abandoned_creates.hpp) ----
    void abandon(const std::string& folder, const std::string& guid, time_point now,
                 duration timeout);
    [[nodiscard]] std::vector<std::string> found_abandoned(
        const std::string& folder, const std::vector<std::string>& children);
    [[nodiscard]] std::optional<time_point> search_due() const;
    [[nodiscard]] std::string folder_due() const { return epoch_->abandoned.folder_due(); }
    // Stores the ticket of the request (list) that searches for znodes of creates without an answer; nothing if that
    // request was lost.
    void set_search(std::optional<ticket> request) noexcept { search_ = request; }
    [[nodiscard]] const std::optional<ticket>& search() const noexcept { return search_; }
    void searched(const std::string& folder, const reply& answer);

    friend bool operator==(const session_traces&, const session_traces&) = default;

private:
    struct of_epoch {
        watch_registry watches;
        removal_queue removals;
        abandoned_creates abandoned;
        sole_contender_memory sole;
        friend bool operator==(const of_epoch&, const of_epoch&) = default;
    };

    void give_back(const std::string& path, session_basics& basics);
    void give_back_forgotten(session_basics& basics);
    void give_back_watches(removal& removed, session_basics& basics);

    removal_limits removal_limits_;
    std::size_t chroot_;
    bool attached_ = false;
    std::optional<of_epoch> epoch_;
    std::optional<ticket> search_;  // the search in progress on this connection
};

}  // namespace turnstile::core
