// SPDX-License-Identifier: Apache-2.0
#include "turnstile/leader_election.hpp"

#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/span_check.hpp"
#include "recipe/election/candidacy.hpp"
#include "recipe/election/duty_thread.hpp"
#include "recipe/election/named_successor.hpp"
#include "recipe/election/participation.hpp"
#include "recipe/election/term_in_progress.hpp"
#include "recipe/lock/queue_lock.hpp"
#include "recipe/operator/participants.hpp"
#include "turnstile/owner.hpp"

namespace turnstile {

namespace course = detail::course;

// ---- a term ---------------------------------------------------------------------------------

bool leader_term::valid() const noexcept {
    return lead_.valid();
}

boottime_clock::time_point leader_term::valid_until() const noexcept {
    return lead_.valid_until();
}

turnstile::fencing_token leader_term::fencing_token() const noexcept {
    return lead_.fencing_token();
}

std::stop_token leader_term::stop() const noexcept {
    return stop_;
}

result<void> leader_term::status() const {
    return lead_.status();
}

result<commit_result> leader_term::commit(const transaction& writes,
                                          const commit_options& options) {
    return lead_.commit(writes, options);
}

result<commit_result> leader_term::commit(const transaction& writes) {
    return commit(writes, commit_options{});
}

// ---- the participant ------------------------------------------------------------------------

// What it is in the middle of is `participation`'s to say; here is what that asks for. What has to be done
// is collected under the lock and done under none: calls into the client and the user's executor block or
// come back here.
class leader_election::work : public std::enable_shared_from_this<work> {
public:
    work(const client& servers, std::string_view path, function&& duty, election_options&& options)
        : queue_{servers, path, core::contender_family::lock},
          id_{detail::checked_id(options.id)},
          duty_{std::move(duty)},
          options_{std::move(options)},
          now_{options_.then} {
        if (!duty_) throw_error({errc::bad_option, "leader_election: the function is empty"});
    }

    void start();
    void close() noexcept;
    void resign() noexcept { step(course::resigned{}); }

    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const query_options& options);

    // The hold of the term that runs, or nullptr.
    [[nodiscard]] std::shared_ptr<guard> lead() const {
        const base::lock_guard lock{mutex_};
        return term_.lead();
    }
    [[nodiscard]] std::size_t terms() const {
        const base::lock_guard lock{mutex_};
        return term_.calls();
    }
    [[nodiscard]] std::optional<error> failure() const {
        const base::lock_guard lock{mutex_};
        return now_.failure();
    }
    [[nodiscard]] const detail::queue_lock& queue() const noexcept { return queue_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }

private:
    struct grant {
        course::turn of = 0;
        std::shared_ptr<guard> hold;
    };
    struct deferred_effects {
        std::vector<std::stop_source> to_trigger;
        std::vector<std::shared_ptr<guard>> to_release;
        std::optional<course::turn> enters;
        std::stop_token leaves;  // triggered when that is to be given up
        std::optional<course::turn> calls;
        std::optional<detail::duty_thread> by;
    };

    void step(const course::input& input);
    void end();
    [[nodiscard]] deferred_effects collect(const course::input& input) REQUIRES(mutex_);
    void run(deferred_effects&& effects);
    void ask(course::turn turn, std::stop_token leaves);
    void on_outcome(course::turn turn, result<guard>&& outcome);
    void hand_over(course::turn turn, const detail::duty_thread& thread);
    void run_term(course::turn turn);
    [[nodiscard]] bool decide(course::turn turn, guard& lead);
    void call(const std::shared_ptr<guard>& lead, const std::stop_token& stop);
    void tell(const std::exception_ptr& thrown) const noexcept;
    void await(std::optional<course::turn> term) noexcept;

    const detail::queue_lock queue_;
    const std::string id_;
    const function duty_;
    const election_options options_;

    mutable base::mutex mutex_;
    base::condition changed_;
    detail::participation now_ GUARDED_BY(mutex_);
    std::optional<detail::duty_thread> thread_ GUARDED_BY(mutex_);  // from start() to close()
    std::stop_source waiting_ GUARDED_BY(mutex_);                   // of the turn in the queue
    grant held_ GUARDED_BY(mutex_);
    detail::term_in_progress term_ GUARDED_BY(mutex_);
};

// One critical section: a close() between its two halves would take the thread from a term that begins.
void leader_election::work::start() {
    deferred_effects to_do;
    {
        const base::lock_guard lock{mutex_};
        if (!thread_) thread_.emplace(options_.run);
        to_do = base::finish_or_end("the start of an election",
                                    [&]() REQUIRES(mutex_) { return collect(course::started{}); });
    }
    base::finish_or_end("the start of an election", [&] { run(std::move(to_do)); });
}

void leader_election::work::close() noexcept {
    if (queue_.servers()->forked()) return;  // the parent's; of its threads none is here
    base::finish_or_end("the end of an election", [this] { end(); });
}

void leader_election::work::end() {
    deferred_effects to_do;
    std::optional<detail::duty_thread> thread;
    std::optional<course::turn> term;  // to wait for; what another thread starts meanwhile is not
    {
        const base::lock_guard lock{mutex_};
        to_do = collect(course::closed{});
        thread = std::exchange(thread_, std::nullopt);
        term = term_.awaited_by(owner::calling_thread());
    }
    run(std::move(to_do));
    await(term);
    if (thread) thread->finish();
}

void leader_election::work::step(const course::input& input) {
    base::finish_or_end("a step of an election", [&] {
        deferred_effects to_do;
        {
            const base::lock_guard lock{mutex_};
            to_do = collect(input);
        }
        run(std::move(to_do));
    });
}

leader_election::work::deferred_effects leader_election::work::collect(const course::input& input) {
    deferred_effects effects;
    for (const auto& action : now_.on(input)) {
        if (const auto* enter = std::get_if<course::enter>(&action)) {
            waiting_ = std::stop_source{};
            effects.enters = enter->of;
            effects.leaves = waiting_.get_token();
        } else if (std::holds_alternative<course::leave>(action)) {
            effects.to_trigger.push_back(waiting_);
        } else if (std::holds_alternative<course::stop>(action)) {
            effects.to_trigger.push_back(term_.stop());
        } else if (const auto* call = std::get_if<course::call>(&action)) {
            effects.calls = call->of;
            effects.by = thread_;
        } else if (const auto* back = std::get_if<course::give_back>(&action)) {
            if (back->of == held_.of)
                effects.to_release.push_back(std::exchange(held_.hold, nullptr));
        }
    }
    return effects;
}

void leader_election::work::run(deferred_effects&& effects) {
    for (auto& source : effects.to_trigger) source.request_stop();
    effects.to_release.clear();
    if (effects.enters) ask(*effects.enters, std::move(effects.leaves));
    if (effects.calls) hand_over(*effects.calls, *effects.by);
}

// A close() that comes between has triggered the token: then nothing enters the queue, or it leaves again.
void leader_election::work::ask(course::turn turn, std::stop_token leaves) {
    acquire_options options;
    options.stop = std::move(leaves);
    queue_.async_acquire(
        std::move(options), core::claim{},
        [self = shared_from_this(), turn](result<guard> outcome) {
            base::finish_or_end("the outcome of a candidacy",
                                [&] { self->on_outcome(turn, std::move(outcome)); });
        },
        id_);
}

// On the client's callbacks executor: nothing here may block.
void leader_election::work::on_outcome(course::turn turn, result<guard>&& outcome) {
    if (!outcome) {
        step(course::refused{turn, outcome.error()});
        return;
    }
    const auto hold = std::make_shared<guard>(std::move(*outcome));
    deferred_effects to_do;
    {
        const base::lock_guard lock{mutex_};
        to_do = collect(course::granted{turn});
        if (!now_.is<course::called>(turn)) return;  // an earlier turn's: it goes with this call
        held_ = {turn, hold};
    }
    hold->on_lost([weak = weak_from_this(), turn](const error&) {
        if (const auto self = weak.lock()) self->step(course::lost{turn});
    });
    run(std::move(to_do));
}

// ---- the function ---------------------------------------------------------------------------

void leader_election::work::hand_over(course::turn turn, const detail::duty_thread& thread) {
    // An executor may keep the task for good.
    const std::function<void()> task = [weak = weak_from_this(), turn] {
        if (const auto self = weak.lock())
            base::finish_or_end("a term of an election", [&] { self->run_term(turn); });
    };
    try {
        thread.run(task);
    } catch (...) {
        step(course::not_run{turn});
        tell(std::current_exception());
    }
}

void leader_election::work::run_term(course::turn turn) {
    std::stop_source stop;
    std::shared_ptr<guard> lead;
    {
        const base::lock_guard lock{mutex_};
        static_cast<void>(collect(course::begun{turn}));  // which asks for nothing
        if (!now_.is<course::deciding>(turn)) return;
        term_.begin(turn, owner::calling_thread(), stop);
        lead = held_.hold;
    }
    {
        const std::stop_callback on_loss{lead->lost(), [&stop] { stop.request_stop(); }};
        if (decide(turn, *lead)) call(lead, stop.get_token());
    }
    lead.reset();
    step(course::returned{turn});
    const base::lock_guard lock{mutex_};
    term_.end(turn);
    changed_.notify_all();
}

void leader_election::work::call(const std::shared_ptr<guard>& lead, const std::stop_token& stop) {
    {
        const base::lock_guard lock{mutex_};
        term_.lead(lead);
    }
    try {
        leader_term term{*lead, stop};
        duty_(term);
    } catch (...) {  // boost::thread_interrupted too
        tell(std::current_exception());
    }
    std::shared_ptr<guard> over;
    const base::lock_guard lock{mutex_};
    over = term_.take_lead();
}

// Until the leadership of this term is given up.
void leader_election::work::await(std::optional<course::turn> term) noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    while (term && term_.is_running(*term)) changed_.wait(lock);
}

bool leader_election::work::decide(course::turn turn, guard& lead) {
    step(course::decided{turn, detail::decide_succession(queue_, id_, lead)});
    const base::lock_guard lock{mutex_};
    return now_.is<course::leading>(turn);
}

result<void> leader_election::work::move_to(std::string_view successor,
                                            boottime_clock::duration within,
                                            const query_options& options) {
    if (auto good = base::check_span("within", within); !good) return good;
    const auto held = lead();
    if (!held || !held->valid())
        return error{errc::not_held, queue_.path() + ": " + id_ + " does not lead"};
    if (successor == id_) return {};
    if (auto named = detail::name_successor(queue_, *held, successor, within, options); !named)
        return named;
    resign();
    return {};
}

void leader_election::work::tell(const std::exception_ptr& thrown) const noexcept {
    try {
        if (options_.on_exception) return options_.on_exception(thrown);
        std::rethrow_exception(thrown);
    } catch (const std::exception& failure) {
        log::write(log_level::error, "the function of the election {} threw: {}", queue_.path(),
                   failure.what());
    } catch (...) {
        log::write(log_level::error, "the function of the election {} threw", queue_.path());
    }
}

// ---- the public class -----------------------------------------------------------------------

class leader_election::state {
public:
    [[nodiscard]] work* operator->() const noexcept { return goes_on.get(); }
    const std::shared_ptr<work> goes_on;  // until the last call of the function has returned
};

leader_election::leader_election(const client& servers, std::string_view path, function duty,
                                 election_options options)
    : state_{
          new state{std::make_shared<work>(servers, path, std::move(duty), std::move(options))}} {}

leader_election::~leader_election() {
    close();
}

const std::string& leader_election::path() const noexcept {
    return (*state_)->queue().path();
}

const std::string& leader_election::id() const noexcept {
    return (*state_)->id();
}

void leader_election::start() {
    (*state_)->start();
}

void leader_election::close() noexcept {
    (*state_)->close();
}

bool leader_election::leads() const noexcept {
    const auto lead = (*state_)->lead();
    return lead && lead->valid();
}

std::size_t leader_election::terms() const noexcept {
    return (*state_)->terms();
}

std::optional<error> leader_election::failure() const {
    return (*state_)->failure();
}

void leader_election::resign() noexcept {
    (*state_)->resign();
}

result<void> leader_election::move_to(std::string_view successor, boottime_clock::duration within,
                                      const query_options& options) {
    return (*state_)->move_to(successor, within, options);
}

result<std::vector<participant>> leader_election::participants(const query_options& options) const {
    return detail::participants((*state_)->queue(), options);
}

result<std::optional<participant>> leader_election::leader(const query_options& options) const {
    return detail::first_participant((*state_)->queue(), options);
}

}  // namespace turnstile
