// SPDX-License-Identifier: Apache-2.0
#include "recipe/election/candidacy.hpp"

#include <algorithm>
#include <utility>

#include "base/out_of_memory.hpp"
#include "base/path.hpp"
#include "base/utf8.hpp"
#include "client/metadata.hpp"
#include "recipe/election/participation.hpp"

namespace turnstile::detail {

namespace {

constexpr std::size_t k_longest_id = 1024;

}  // namespace

std::string checked_id(const std::string& id) {
    if (id.empty()) {
        const auto mine = contender_metadata::parse(contender_text({}, {}, {}, {}));
        return mine.host + '-' + mine.pid;
    }
    if (id.size() > k_longest_id) {
        throw_error({errc::bad_option, "id of " + std::to_string(id.size()) +
                                           " bytes: an id has at most " +
                                           std::to_string(k_longest_id)});
    }
    for (std::size_t at = 0; at < id.size();) {
        const auto length = base::decode_utf8(std::string_view{id}.substr(at)).length;
        if (length == 0)
            throw_error({errc::bad_option, "id " + base::printable(id) + ": is not valid UTF-8"});
        at += length;
    }
    return id;
}

candidacy::candidacy(const client& servers, std::string_view path, core::claim wants,
                     std::string id)
    : queue_{servers, path, core::family(wants.kind)}, wants_{wants}, id_{std::move(id)} {}

void candidacy::observe(observer callback) {
    observer_ = std::move(callback);
}

// ---- stages ---------------------------------------------------------------------------------

std::shared_ptr<guard> candidacy::go_to(stage next, std::shared_ptr<guard> lead) {
    if (stage_ == stage::leading || next == stage::leading || next == stage::failed)
        news_.push_back(next);
    if (stage_ == stage::leading) over_.push_back(std::exchange(leading_, std::stop_source{}));
    stage_ = next;
    ++turn_;
    waiting_ = std::stop_source{};
    why_.reset();
    changed_.notify_all();
    return std::exchange(lead_, std::move(lead));
}

void candidacy::enter() {
    std::uint64_t turn = 0;
    {
        const base::lock_guard lock{mutex_};
        entered_ = true;
        if (stage_ == stage::waiting || stage_ == stage::leading) return;
        static_cast<void>(go_to(stage::waiting));
        turn = turn_;
    }
    ask(turn);
}

void candidacy::ask(std::uint64_t turn) {
    acquire_options options;
    {
        const base::lock_guard lock{mutex_};
        if (turn != turn_) return;
        options.stop = waiting_.get_token();
    }
    client_impl::wanted wanted{queue_.path(), wants_, core::attempt::wait, id_};
    wanted.answers = session_hold::answers::on_workers;
    const auto started = queue_.servers()->acquire(
        wanted, std::move(options), [self = shared_from_this(), turn](result<guard> outcome) {
            base::finish_or_end("the outcome of a candidacy",
                                [&] { self->on_outcome(turn, std::move(outcome)); });
        });
    if (!started) on_outcome(turn, started.error());
}

void candidacy::on_outcome(std::uint64_t turn, result<guard>&& outcome) {
    std::shared_ptr<leadership> granted;
    bool again = false;
    {
        const base::lock_guard lock{mutex_};
        if (turn != turn_) return;  // not wanted any more: given up again as it goes
        if (outcome) {
            granted = std::make_shared<leadership>();
            granted->hold = std::move(*outcome);
            static_cast<void>(go_to(stage::leading, {granted, &granted->hold}));
        } else if (is_worth_another_attempt(outcome.error())) {
            again = true;
            static_cast<void>(go_to(stage::waiting));
        } else {
            static_cast<void>(go_to(stage::failed));
            why_ = outcome.error();
        }
        turn = turn_;
    }
    announce();
    if (again) return ask(turn);
    if (!granted) return;
    // May call back at once, in this thread.
    granted->loss.emplace(granted->hold.lost(), [weak = weak_from_this(), turn] {
        if (const auto self = weak.lock())
            base::finish_or_end("the loss of a leadership", [&] { self->on_lost(turn); });
    });
}

void candidacy::on_lost(std::uint64_t turn) {
    std::shared_ptr<guard> over;  // let go of under no lock
    {
        const base::lock_guard lock{mutex_};
        if (turn != turn_) return;
        over = go_to(stage::waiting);
        turn = turn_;
    }
    announce();
    ask(turn);
}

void candidacy::leave() {
    if (queue_.servers()->forked()) return;  // the parent's
    std::shared_ptr<guard> held;
    std::stop_source waiting;
    {
        const base::lock_guard lock{mutex_};
        if (stage_ == stage::resting) return;
        waiting = waiting_;
        held = go_to(stage::resting);
    }
    waiting.request_stop();
    announce();  // before another participant can lead
    held.reset();
}

void candidacy::announce() {
    std::vector<std::stop_source> over;
    bool none = false;  // another thread's task has taken what is to be told
    {
        const base::lock_guard lock{mutex_};
        over.swap(over_);
        none = news_.empty();
    }
    for (auto& source : over) source.request_stop();
    if (none) return;
    queue_.servers()->post([self = shared_from_this()] { self->tell_observer(); });
}

// The observer hears of the stages in their order: each posted task takes the oldest stage that it was not told, whichever
// thread posted the task.
void candidacy::tell_observer() {
    stage next{};
    {
        const base::lock_guard lock{mutex_};
        if (news_.empty()) return;
        next = news_.front();
        news_.pop_front();
    }
    if (observer_) observer_(next);
    announce();
}

// ---- questions ------------------------------------------------------------------------------

std::shared_ptr<guard> candidacy::lead() const {
    const base::lock_guard lock{mutex_};
    return lead_;
}

std::optional<std::stop_token> candidacy::while_leading() const {
    const base::lock_guard lock{mutex_};
    if (stage_ != stage::leading) return std::nullopt;
    return leading_.get_token();
}

std::optional<error> candidacy::failure() const {
    const base::lock_guard lock{mutex_};
    return why_;
}

result<void> candidacy::why_not() const {
    if (stage_ == stage::failed) return *why_;
    if (stage_ != stage::resting) return {};
    if (entered_) return error{errc::closed, queue_.path() + ": " + id_ + " takes part no more"};
    return error{errc::not_held, queue_.path() + ": " + id_ + " does not take part yet"};
}

result<void> candidacy::await(const query_options& options) {
    const auto deadline = options.timeout.deadline();
    const std::stop_callback on_stop{options.stop, [this] {
                                         const base::lock_guard lock{mutex_};
                                         changed_.notify_all();
                                     }};
    base::unique_lock lock{mutex_};
    try {
        for (;;) {
            if (lead_ && lead_->valid()) return {};
            if (const auto in = why_not(); !in) return in;
            if (options.stop.stop_requested()) return error{errc::cancelled, queue_.path()};
            if (!deadline) {
                changed_.wait(lock);
            } else if (!changed_.wait_until(lock, *deadline)) {
                return error{errc::timeout, queue_.path() + ": " + id_ + " does not lead yet"};
            }
        }
    } catch (const boost::thread_interrupted&) {
        return error{errc::interrupted, queue_.path() + ", while it waited"};
    }
}

}  // namespace turnstile::detail
