// SPDX-License-Identifier: Apache-2.0
#include "simulation/script.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace turnstile::simulation {

script::script(sim_client& client) : client_{client} {}

std::uint64_t script::call_after(core::duration pause, std::function<void()> task) {
    planned_.emplace(++plans_, std::move(task));
    client_.wake_after(pause, 0, plans_);
    return plans_;
}

void script::call_while_held(std::uint64_t number, core::duration pause,
                             std::function<void()> task) {
    auto& call = calls_.at(number);
    if (call.state != doing::holding) pause = {};
    call.pausing = call_after(pause, std::move(task));
}

void script::end_pause(one_call& call) {
    auto plan = planned_.extract(std::exchange(call.pausing, 0));
    if (!plan.empty()) call_after({}, std::move(plan.mapped()));
}

void script::wake(const worker_due& event) {
    const auto plan = planned_.extract(event.serial);
    if (!plan.empty()) plan.mapped()();
}

template <class F, class... A>
void script::run_soon(const F& handler, A... arguments) {
    if (handler) call_after({}, [handler, arguments...] { handler(arguments...); });
}

std::uint64_t script::acquire(core::acquire&& request, testing::simulated_call&& call) {
    const auto number = static_cast<std::uint64_t>(calls_.size()) + 1;
    calls_[number].handlers = std::move(call);
    call_after({}, [this, number, request = std::move(request)]() mutable {
        take_up(number, std::move(request));
    });
    return number;
}

void script::take_up(std::uint64_t number, core::acquire&& request) {
    auto& call = calls_.at(number);
    if (call.unwanted) {
        call.state = doing::done;
        return run_soon(call.handlers.on_failed, error{errc::cancelled});
    }
    if (call.handlers.timeout) request.deadline = client_.local_now() + *call.handlers.timeout;
    call.id = client_.next_id();
    by_id_.emplace(*call.id, number);
    client_.acquire(std::move(request));
}

void script::release(std::uint64_t number) {
    call_after({}, [this, number] {
        auto& call = calls_.at(number);
        if (!call.id) {
            call.unwanted = true;
        } else if (call.state == doing::waiting) {
            client_.cancel(*call.id);
        } else if (call.checked_by != 0) {
            call.left = true;
        } else if (std::exchange(call.state, doing::done) == doing::holding) {
            client_.release(*call.id);
            end_pause(call);
        }
    });
}

result<void> script::status(const one_call& call) const {
    if (call.loss) return *call.loss;
    if (call.state != doing::holding || call.left) return error{errc::not_held, "the hold is over"};
    if (client_.local_now() >= client_.valid_until())
        return error{errc::session_lost, call.znode + ": the lease has ended"};
    return {};
}

namespace {

// Checks that no part of the caller's transaction writes the hold's own znode.
result<void> check_untouched(const std::vector<core::write_part>& parts, const std::string& znode) {
    for (std::size_t i = 0; i != parts.size(); ++i) {
        if (std::visit([](const auto& part) { return part.path; }, parts[i]) != znode) continue;
        return error{errc::bad_option,
                     fmt::format("part {}: \"{}\" is the znode of the hold itself", i, znode)}
            .of_part(i);
    }
    return {};
}

}  // namespace

result<std::vector<std::string>> script::begin_commit(std::uint64_t number,
                                                      const std::vector<core::write_part>& parts,
                                                      std::vector<std::uint64_t>& further) {
    std::vector<std::uint64_t> all{number};
    for (const auto each : further)
        if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
    std::vector<std::string> znodes;
    for (const auto each : all) {
        const auto& call = calls_.at(each);
        if (const auto held = status(call); !held) return held.error();
        if (const auto good = check_untouched(parts, call.znode); !good) return good.error();
        znodes.push_back(call.znode);
    }
    all.erase(all.begin());
    znodes.erase(znodes.begin());
    for (const auto each : all) ++calls_.at(each).checked_by;
    further = std::move(all);
    return znodes;
}

void script::end_commit(const std::vector<std::uint64_t>& further) {
    for (const auto each : further) {
        auto& call = calls_.at(each);
        if (--call.checked_by == 0 && std::exchange(call.left, false)) release(each);
    }
}

void script::commit(std::uint64_t number, std::vector<core::write_part>&& parts,
                    commit_handler then, std::vector<std::uint64_t>&& further) {
    call_after({}, [this, number, parts = std::move(parts), then = std::move(then),
                    further = std::move(further)]() mutable {
        auto standing = begin_commit(number, parts, further);
        if (!standing) return then(standing.error());
        commits_.emplace(
            client_.next_id<core::commit_id>(),
            [this, further = std::move(further), then = std::move(then)](const auto& outcome) {
                end_commit(further);
                then(outcome);
            });
        client_.commit(*calls_.at(number).id, std::move(parts),
                       fmt::format("commit {} of client {}", ++texts_, client_.id()),
                       client_.core().session_lease().timeout(), std::move(*standing));
    });
}

void script::answered(const core::commit_answer& of) {
    auto found = commits_.extract(of.id);
    if (found.empty()) return;
    call_after({}, [then = std::move(found.mapped()), outcome = of.outcome] { then(outcome); });
}

void script::read(std::string path, read_handler then) {
    call_after({}, [this, path = std::move(path), then = std::move(then)]() mutable {
        reads_.emplace(client_.next_id<core::inquiry_id>(), std::move(then));
        client_.read(core::get_op{std::move(path)}, client_.core().session_lease().timeout());
    });
}

void script::answered(const core::answer& of) {
    auto found = reads_.extract(of.id);
    if (found.empty()) return;
    call_after({}, [then = std::move(found.mapped()), outcome = of.outcome] { then(outcome); });
}

std::optional<core::contender_id> script::granted(std::uint64_t number) const {
    const auto& call = calls_.at(number);
    return call.told ? call.id : std::nullopt;
}

void script::hear(const core::notice& notice) {
    if (const auto found = by_id_.find(notice.id); found != by_id_.end())
        tell(calls_.at(found->second), notice);
}

void script::tell(one_call& call, const core::notice& notice) {
    const auto& handlers = call.handlers;
    if (const auto* grant = std::get_if<core::granted>(&notice.event)) {
        call.state = doing::holding;
        call.znode = grant->znode;
        call_after({}, [&call, token = grant->token] {
            call.told = true;
            if (call.handlers.on_granted) call.handlers.on_granted(token);
        });
        if (stopping_) release(by_id_.at(notice.id));
    } else if (const auto* failure = std::get_if<core::failed>(&notice.event)) {
        call.state = doing::done;
        run_soon(handlers.on_failed, failure->why);
    } else if (const auto* loss = std::get_if<core::lost>(&notice.event)) {
        call.state = doing::done;
        call.loss = loss->why;
        run_soon(handlers.on_lost, loss->why);
        end_pause(call);
    } else if (const auto* place = std::get_if<core::position_known>(&notice.event)) {
        run_soon(handlers.on_queued, place->ahead);
    }
}

void script::stop() {
    stopping_ = true;
    for (const auto& task : at_stop_) task();
    for (const auto& [number, call] : calls_)
        if (call.state != doing::done) release(number);
}

bool script::at_rest() const {
    return planned_.empty() && commits_.empty() && reads_.empty() &&
           std::all_of(calls_.begin(), calls_.end(),
                       [](const auto& entry) { return entry.second.state == doing::done; });
}

}  // namespace turnstile::simulation
