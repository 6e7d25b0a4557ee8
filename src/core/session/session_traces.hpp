// SPDX-License-Identifier: Apache-2.0
// session_traces: a session's watches, its removals that wait or are in progress, its abandoned creates, and the
// numbers of its contenders that have left.
//
// Thread safety: none, a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/session/abandoned_creates.hpp"
#include "core/session/removal_queue.hpp"
#include "core/session/session_basics.hpp"
#include "core/session/session_core_settings.hpp"
#include "core/session/sole_contender_memory.hpp"
#include "core/session/watch_registry.hpp"

namespace turnstile::core {

class session_traces {
public:
    enum class sending { in_turn, all };

    explicit session_traces(const session_core_settings& settings)
        : removal_limits_{settings.removals}, chroot_{settings.chroot} {}

    // ---- sessions at the servers (epochs), and their connections ----
    void open() { epoch_.emplace().removals = removal_queue{removal_limits_}; }
    void leave() noexcept;
    // attach() requests that the servers drop the watches that became needless while the session had no connection
    // (watch_registry.hpp). detach() is called when the connection has ended.
    void attach(session_basics& basics);
    void detach() noexcept {
        attached_ = false;
        search_.reset();
        if (epoch_) epoch_->sole.detached();
    }

    // ---- watches (watch_registry.hpp) ----
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

    // ---- removals (removal_queue.hpp) ----
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
