// SPDX-License-Identifier: Apache-2.0
#include "sql/task_queue.hpp"

#include <algorithm>
#include <string_view>

#include "local/znode_path.hpp"
#include "sql/touched_paths.hpp"

namespace turnstile::sql {
namespace {

using core::server_error;

// The longest number that the database appends to the name of a sequential znode.
constexpr std::size_t k_longest_number = std::string_view{"-2147483648"}.size();

// Returns the refusal if a path of the request is longer than `most` bytes; otherwise nothing.
//
// In a multi (a request that consists of several operations), one part with a long path is enough for a refusal. The
// reply then has `ok` for the parts before this part, although nothing changed, and `rolled_back` for the parts after
// it.
std::optional<core::reply> refusal_of_long_paths(const core::operation& op, std::size_t most) {
    const auto is_longer = [most](const auto& part) {
        std::size_t size = part.path.size();
        if constexpr (requires { part.mode; })
            if (core::is_sequential(part.mode)) size += k_longest_number;
        return size > most;
    };
    if (const auto* multi = std::get_if<core::multi_op>(&op)) {
        const auto& parts = multi->parts;
        const auto failed = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
            return std::visit(is_longer, part);
        });
        if (failed == parts.end()) return std::nullopt;
        auto refused = core::answered(server_error::bad_arguments);
        refused.parts.resize(static_cast<std::size_t>(failed - parts.begin()), server_error::ok);
        refused.parts.push_back(server_error::bad_arguments);
        refused.parts.resize(parts.size(), server_error::rolled_back);
        return refused;
    }
    const bool refused = std::visit(
        [&](const auto& request) {
            if constexpr (requires { request.path; }) {
                return is_longer(request);
            } else {
                return false;
            }
        },
        op);
    if (!refused) return std::nullopt;
    return core::answered(core::is_write(op) ? server_error::bad_arguments : server_error::no_node);
}

}  // namespace

void task_queue::submit(core::request&& request, bool with_next) {
    submitted_request added{std::move(request), with_next};
    if (local::client_accepts(added.request.op)) {
        root_.to_server(added.request.op);
        added.answer = refusal_of_long_paths(added.request.op, longest_path_);
    } else {
        added.answer = core::answered(core::server_error::bad_arguments);
    }
    const base::lock_guard lock{mutex_};
    if (!added.answer && overtakes(added.request.op)) {
        // A confirmation (a request that only checks znodes) goes before the other tasks, not after the last task. So
        // this code clears the last task's flag `with_next`, which announced this request as its successor.
        if (!tasks_.empty())
            if (auto* const last = std::get_if<submitted_request>(&tasks_.back()))
                last->with_next = false;
        confirmations_.push_back(std::move(added));
    } else {
        tasks_.emplace_back(std::move(added));
    }
    if (!with_next) changed_.set();
}

void task_queue::close() noexcept {
    const base::lock_guard lock{mutex_};
    closed_ = true;
    changed_.set();
}

void task_queue::forget_watches(const std::string& path) {
    const base::lock_guard lock{mutex_};
    tasks_.emplace_back(forgotten{root_.to_server(path)});
    changed_.set();
}

// A confirmation only checks znodes, so it may overtake requests without changing their answers. Exception: it waits if
// an earlier request in the queue may change a znode that the confirmation checks.
bool task_queue::overtakes(const core::operation& op) const {
    return is_confirmation(op) &&
           std::none_of(tasks_.begin(), tasks_.end(), [&op](const task& waiting) {
               const auto* const ahead = std::get_if<submitted_request>(&waiting);
               return ahead != nullptr && may_change_what_is_checked(ahead->request.op, op);
           });
}

std::optional<task_batch> task_queue::take(std::size_t most) {
    const base::lock_guard lock{mutex_};
    if (!closed_) changed_.clear();
    if (!confirmations_.empty()) {
        std::vector<submitted_request> oldest;
        oldest.push_back(std::move(confirmations_.front()));
        confirmations_.pop_front();
        return oldest;
    }
    if (tasks_.empty()) return std::nullopt;
    if (std::holds_alternative<forgotten>(tasks_.front())) return take_forgotten(most);
    std::vector<submitted_request> taken = take_asked(most);
    if (taken.empty()) return std::nullopt;
    return taken;
}

std::vector<submitted_request> task_queue::take_asked(std::size_t most) {
    std::vector<submitted_request> taken;
    request_batch together;
    while (!tasks_.empty()) {
        auto* const next = std::get_if<submitted_request>(&tasks_.front());
        if (next == nullptr || (next->with_next && tasks_.size() == 1)) break;
        const bool answered = next->answer.has_value();
        if (!taken.empty() && (answered || !together.takes(next->request.op, most))) break;
        if (!answered) together.add(next->request.op);
        taken.push_back(std::move(*next));
        tasks_.pop_front();
        if (answered) break;
    }
    return taken;
}

std::vector<forgotten> task_queue::take_forgotten(std::size_t most) {
    std::vector<forgotten> taken;
    while (!tasks_.empty() && taken.size() < most) {
        auto* const next = std::get_if<forgotten>(&tasks_.front());
        if (next == nullptr) break;
        taken.push_back(std::move(*next));
        tasks_.pop_front();
    }
    return taken;
}

}  // namespace turnstile::sql
