// SPDX-License-Identifier: Apache-2.0
#include "core/session/commit_steps.hpp"

#include <utility>

#include "base/check.hpp"
#include "core/contender/state_queries.hpp"
#include "core/session/contender_steps.hpp"
#include "core/session/request_steps.hpp"

namespace turnstile::core {

// What the commits of a hold see of their session.
class commit_steps::context final : public write_context {
public:
    context(client_life& life, acquisition_id hold) : life_{life}, hold_{hold} {}

    [[nodiscard]] own_znode own() const override {
        const auto* found = life_.contenders.find(hold_);
        if (found == nullptr) return {};
        const auto& hold = found->value;
        return {hold.znode(), hold.data(), version_in(hold.current()), settled(hold.current())};
    }
    [[nodiscard]] bool attached() const override { return life_.attached() != nullptr; }
    [[nodiscard]] std::uint64_t connection() const override { return life_.latest_connection(); }
    ticket submit(operation&& op) override {
        return request_steps{life_}.send(std::move(op), for_commits{hold_});
    }
    void retry_later() override { request_steps{life_}.retry_later(); }
    void version_became(std::int32_t version) override {
        if (auto* found = life_.contenders.find(hold_)) found->value.version_became(version);
    }
    void apply(const reply& answer) override {
        contender_steps{life_}.with(
            hold_, [&answer](acquisition& hold, acquisition_context& c) { hold.apply(c, answer); });
    }
    void tell(acquisition_id commit, commit_outcome&& outcome) override {
        commit_steps{life_}.tell(commit, std::move(outcome));
    }

private:
    client_life& life_;
    const acquisition_id hold_;
};

template <class F>
void commit_steps::with(acquisition_id hold, F&& call) {
    auto& table = life_.commits;
    auto* writes = table.writes_of(hold);
    if (writes == nullptr) return;
    context c{life_, hold};
    const bool inner = table.is_called(hold);
    if (!inner) table.set_called(hold);
    call(*writes, c);
    if (inner) return;
    table.set_called({});
    let_hold_proceed(hold);
}

template <class F>
void commit_steps::with_all(F&& call) {
    if (life_.commits.empty()) return;
    for (const auto hold : life_.commits.holds()) with(hold, call);
}

void commit_steps::commit(const core::commit& request) {
    const auto* found = life_.contenders.find(request.hold);
    const bool stands =
        found != nullptr && found->value.holds() && !life_.commits.is_released(request.hold);
    if (!stands) {
        const error why =
            life_.closing
                ? error{errc::closed}
                : error{errc::not_held, "nothing was written: the hold was released or lost"};
        life_.actions.emplace_back(commit_answer{request.id, why});
        return;
    }
    // What another client has written into the hold's znode is known before the answer, as for a confirmation.
    contender_steps{life_}.with(
        request.hold, [](acquisition& hold, acquisition_context& c) { hold.watch_own_znode(c); });
    TURNSTILE_CHECK(!life_.commits.contains(request.id));
    life_.commits.add(request.id, {request.hold, request.deadline});
    if (request.deadline) life_.deadlines.add(*request.deadline, request.id);
    with(request.hold, [&request](guarded_writes& writes, write_context& c) {
        writes.add(c, request.id, request.parts, request.standing);
    });
}

void commit_steps::cancel(acquisition_id commit, const error& why) {
    TURNSTILE_CHECK(life_.commits.contains(commit));
    with(life_.commits.hold_of(commit),
         [&](guarded_writes& writes, write_context& c) { writes.cancel(c, commit, why); });
}

bool commit_steps::release_later(const leave& release) {
    if (!life_.commits.has_writes(release.id)) return false;
    const auto* found = life_.contenders.find(release.id);
    if (found == nullptr || !found->value.holds()) return false;
    life_.commits.release_later(release);
    return true;
}

void commit_steps::on_reply(acquisition_id hold, const reply& answer) {
    with(hold, [&answer](guarded_writes& writes, write_context& c) { writes.on_reply(c, answer); });
}

void commit_steps::on_attached() {
    with_all([](guarded_writes& writes, write_context& c) { writes.on_attached(c); });
}

void commit_steps::end(const error& why) {
    with_all([&why](guarded_writes& writes, write_context& c) { writes.on_epoch_end(c, why); });
}

void commit_steps::lose(acquisition_id hold, const error& why) {
    static_cast<void>(life_.commits.take_release(hold));
    auto* writes = life_.commits.writes_of(hold);
    if (writes == nullptr) return;
    context c{life_, hold};
    writes->on_hold_over(c, why);
    if (!life_.commits.is_called(hold)) static_cast<void>(life_.commits.end_if_empty(hold));
}

void commit_steps::let_proceed(acquisition_id hold) {
    const auto* writes = life_.commits.writes_of(hold);
    if (life_.commits.is_called(hold) || writes == nullptr || !writes->waits()) return;
    with(hold, [](guarded_writes& each, write_context& c) { each.proceed(c); });
}

// What the hold itself wants with its znode, or its release, has waited for the commits.
void commit_steps::let_hold_proceed(acquisition_id hold) {
    TURNSTILE_CHECK(!life_.commits.is_called(hold));
    const bool done = life_.commits.end_if_empty(hold);
    contender_steps contenders{life_};
    contenders.with(hold, [](acquisition& each, acquisition_context& c) { each.proceed(c); });
    if (!done) return;
    if (const auto release = life_.commits.take_release(hold)) contenders.leave(*release);
}

void commit_steps::tell(acquisition_id commit, commit_outcome&& outcome) {
    const auto caller = life_.commits.take(commit);
    if (!caller) return;
    if (caller->deadline) life_.deadlines.remove(*caller->deadline, commit);
    life_.actions.emplace_back(commit_answer{commit, std::move(outcome)});
}

}  // namespace turnstile::core
