// SPDX-License-Identifier: Apache-2.0
// contender_session: a contender's view of its session during one event, and the vector to which the contender adds
// effects. A contender_session calls nothing: a request gets its ticket at once, and the session sends it after the
// event.
//
// A contender_session exists until the contender has handled the event. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "core/contender/contender_effects.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/contender/contender_settings.hpp"
#include "core/lease/lease.hpp"

namespace turnstile::core {

class contender_session {
public:
    using effects = std::vector<contender_effect>;

    contender_session(const contender_view& seen, ticket_counter& tickets, base::random& chance,
                      effects& out)
        : seen_{seen}, tickets_{tickets}, chance_{chance}, out_{out} {}

    // ---- the session's state, as the contender sees it ----
    [[nodiscard]] bool attached() const noexcept { return seen_.attached; }
    [[nodiscard]] std::uint64_t connection() const noexcept { return seen_.connection; }
    [[nodiscard]] std::int64_t session_id() const noexcept { return seen_.session_id; }
    [[nodiscard]] bool lease_lasts() const noexcept { return seen_.lease_lasts; }
    [[nodiscard]] bool may_enter() const noexcept { return seen_.may_enter; }
    [[nodiscard]] bool omits_list() const noexcept { return seen_.omits_list; }
    [[nodiscard]] std::optional<std::int64_t> sole_number() const noexcept {
        return seen_.sole_number;
    }
    [[nodiscard]] const std::optional<error>& no_lease() const noexcept { return seen_.no_lease; }
    [[nodiscard]] acl_policy acl() const noexcept { return seen_.acl; }
    [[nodiscard]] create_mode parent_mode() const noexcept { return seen_.parent_mode; }
    [[nodiscard]] time_point now() const noexcept { return seen_.now; }
    [[nodiscard]] duration unseen_for() const noexcept { return seen_.unseen_for; }
    [[nodiscard]] duration lengthened(duration wanted) const {
        return support::lengthened(wanted, seen_.clock_drift);
    }
    [[nodiscard]] const queue_index* index(contender_family of) const {
        return seen_.list == nullptr ? nullptr : seen_.list->of(of);
    }
    // True if a semaphore's waiter may watch `all` contenders in total. Of these, `more` contenders are not watched
    // yet, and their paths have `bytes` bytes.
    [[nodiscard]] bool has_room_to_watch(std::size_t all, std::size_t more,
                                         std::size_t bytes) const noexcept {
        const auto added = bytes + more * seen_.chroot;
        // place: room_to_watch
        return all <= seen_.most_permits_watched &&
               seen_.bytes_watched + added <= seen_.most_bytes_watched;
    }

    // ---- functions that add an effect of contender_effects.hpp ----
    // place: guid_of_a_create
    [[nodiscard]] std::string new_guid() { return base::make_guid(chance_); }
    ticket submit(operation&& op) {
        const auto id = tickets_.take();
        out_.emplace_back(contender_effects::submit_for_contender{{id, std::move(op)}});
        return id;
    }
    ticket enter(create_op&& znode) {
        const auto id = tickets_.take();
        out_.emplace_back(contender_effects::enter{id, std::move(znode)});
        return id;
    }
    ticket list(const std::string& folder) {
        const auto id = tickets_.take();
        out_.emplace_back(contender_effects::list{id, folder});
        return id;
    }
    ticket remove(std::string path, std::vector<std::string> watched, bool awaited) {
        const auto id = tickets_.take();
        out_.emplace_back(
            contender_effects::remove{id, std::move(path), std::move(watched), awaited});
        return id;
    }
    void number_known(contender_effects::number_step step, contender_family of,
                      std::int32_t number) {
        out_.emplace_back(contender_effects::number_known{step, of, number});
    }
    void watch(std::string path) { out_.emplace_back(contender_effects::watch{std::move(path)}); }
    void unwatch(std::string path) {
        out_.emplace_back(contender_effects::unwatch{std::move(path)});
    }
    void unwatch_gone(std::string path) {
        out_.emplace_back(contender_effects::unwatch_gone{std::move(path)});
    }
    // Called when contenders of the family `theirs` are ahead of a contender of the family `ours`, and the two families
    // do not exclude each other. Returns an error or adds a warning, as the client's settings demand.
    [[nodiscard]] std::optional<error> foreign_ahead(const std::string& folder,
                                                     contender_family ours,
                                                     contender_family theirs) {
        if (seen_.foreign_kinds == foreign_kind_policy::refuse)
            return error{errc::bad_option, foreign_kind(folder, ours, theirs)};
        if (seen_.foreign_kinds == foreign_kind_policy::warn)
            out_.emplace_back(contender_effects::warn_of_foreign{ours, theirs});
        return std::nullopt;
    }
    void containers_unsupported() {
        out_.emplace_back(contender_effects::containers_unsupported{});
    }
    void parent_create_lost() { out_.emplace_back(contender_effects::parent_create_lost{}); }
    void abandon(const std::string& guid) { out_.emplace_back(contender_effects::abandon{guid}); }
    void replace_session(std::string reason) {
        out_.emplace_back(contender_effects::replace_session{std::move(reason)});
    }
    void retry_later() { out_.emplace_back(contender_effects::retry_later{}); }
    void tell_busy(std::size_t ahead, std::string predecessor) {
        out_.emplace_back(contender_effects::tell_busy{ahead, std::move(predecessor)});
    }
    void tell(decltype(notice::event)&& event) {
        out_.emplace_back(contender_effects::tell{std::move(event)});
    }

private:
    const contender_view& seen_;
    ticket_counter& tickets_;
    base::random& chance_;
    effects& out_;
};

}  // namespace turnstile::core
