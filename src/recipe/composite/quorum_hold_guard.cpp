// SPDX-License-Identifier: Apache-2.0
// The functions of quorum_hold that a guard calls, the errors of refused calls, and the user's callbacks.
#include <algorithm>
#include <utility>

#include "base/inner_error.hpp"
#include "base/out_of_memory.hpp"
#include "recipe/composite/quorum_hold.hpp"

namespace turnstile::detail {

// ---- one error for the refusals of several ensembles -------------------------------------------

core::quorum::next worth_asking_again(const error& why) {
    switch (why.code()) {
        case errc::timeout:
        case errc::busy:
        case errc::cancelled:
        case errc::session_lost:
        case errc::removed:
        case errc::not_connected:
        case errc::too_many: return core::quorum::next::again;
        default: return core::quorum::next::never;
    }
}

errc code_of(const std::vector<std::optional<error>>& answers, bool tried) {
    const auto find = [&answers](auto&& good) {
        const auto at = std::find_if(answers.begin(), answers.end(), [&good](const auto& answer) {
            return answer && good(*answer);
        });
        return at == answers.end() ? std::nullopt : *at;
    };
    if (tried && find([](const error& answer) { return answer == errc::busy; })) return errc::busy;
    if (const auto last = find([](const error& answer) {
            return worth_asking_again(answer) == core::quorum::next::never;
        }))
        return last->code();
    const auto any = find([](const error&) { return true; });
    return any ? any->code() : errc::not_connected;
}

error no_majority(const std::string& path, const std::string& answers) {
    return {errc::session_lost,
            path + ": no majority of the ensembles keeps the hold any more: " + answers};
}

// ---- the user's callbacks ---------------------------------------------------------------------

// Posts the callback to an open client, or else to a client that is closing now. A closed client would run the callback
// in the calling thread.
void quorum_hold::post(task callback) {
    const auto find = [this](auto&& good) {
        return std::find_if(ensembles_->begin(), ensembles_->end(), [&good](const auto& ensemble) {
            return good(*ensemble.lock.servers());
        });
    };
    auto by = find([](const client_impl& servers) { return servers.open(); });
    if (by == ensembles_->end())
        by = find([](const client_impl& servers) { return !servers.closed(); });
    if (by == ensembles_->end()) by = ensembles_->begin();
    by->lock.servers()->post(std::move(callback));
}

// ---- functions for the guard ----------------------------------------------------------------

bool quorum_hold::is_certain() const noexcept {
    const auto certain = std::count_if(parts_.begin(), parts_.end(), [](const kept_part& part) {
        return part.held && part.held->valid();
    });
    return static_cast<std::size_t>(certain) >= value_.majority();
}

error quorum_hold::doubt() const {
    return no_majority(path(), answers_so_far(errc::session_lost));
}

boottime_clock::time_point quorum_hold::majority_until() const {
    std::vector<boottime_clock::time_point> ends;
    for (const auto& part : parts_)
        if (part.held) ends.push_back(part.held->valid_until());
    if (ends.size() < value_.majority()) return boottime_clock::time_point::min();
    std::sort(ends.rbegin(), ends.rend());
    return ends[value_.majority() - 1];
}

boottime_clock::time_point quorum_hold::valid_until() const noexcept {
    const base::lock_guard lock{mutex_};
    return over_ && last_ ? last_->second : majority_until();
}

boottime_clock::time_point quorum_hold::certain_until() const noexcept {
    if (over_) return boottime_clock::time_point::min();
    const base::lock_guard lock{mutex_};
    return is_certain() ? majority_until() : boottime_clock::time_point::min();
}

fencing_vector quorum_hold::part_tokens() const {
    std::vector<fencing_vector::component> all;
    for (std::size_t i = 0; i != parts_.size(); ++i)
        if (parts_[i].held && parts_[i].held->valid())
            all.push_back({(*ensembles_)[i].name, parts_[i].held->token()});
    return fencing_vector{std::move(all)};
}

fencing_vector quorum_hold::tokens() const {
    const base::lock_guard lock{mutex_};
    return last_ && (over_ || !is_certain()) ? last_->first : part_tokens();
}

// Copies the tokens and the end of a valid hold, because the guard may still query them after the hold has ended.
// quorum_hold calls this function before it handles each event.
void quorum_hold::remember() {
    if (value_.now() == core::quorum::phase::held && is_certain())
        last_ = {part_tokens(), majority_until()};
}

void quorum_hold::leave(const error& /*why*/) noexcept {
    base::finish_or_end("the release of a quorum_lock", [this] {
        decisions next;
        {
            const base::lock_guard lock{mutex_};
            remember();
            note_given_back();
            value_.leave();
            next = decide();
            next.answer = false;  // the caller has its answer already
        }
        execute(std::move(next));
    });
}

// Waits until so many ensembles have confirmed the release that another client can get a majority. Waits for the
// connected ensembles first. Does not wait for the remaining ensembles, which may not answer for a long time.
result<void> quorum_hold::await_release(boottime_clock::time_point deadline) {
    auto all = given_back();
    std::stable_partition(all.begin(), all.end(),
                          [this](const auto& part) { return connected(part.first); });
    const auto may_stay = ensembles_->size() - (ensembles_->size() / 2 + 1);
    std::optional<error> first;
    for (auto left = all.size(); left > may_stay; --left) {
        const auto& [which, part] = all[all.size() - left];
        const auto answer = part->release(deadline);
        if (answer || base::is_contender_gone(answer.error())) continue;
        if (!first) first = base::named((*ensembles_)[which].name, answer.error());
        if (answer.error() == errc::interrupted) break;
    }
    return released(first);
}

}  // namespace turnstile::detail
