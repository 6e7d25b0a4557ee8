#include "turnstile/leader_election.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "client/callback_queue.hpp"
#include "recipe/candidacy.hpp"
#include "recipe/participants.hpp"
#include "recipe/stamped_node.hpp"
#include "recipe/succession.hpp"
#include "turnstile/owner.hpp"

namespace turnstile {

namespace {

constexpr core::contention k_wants{core::contender_kind::lock};
// Somebody else may change the folder's data between our look and our write, but not for ever.
constexpr int k_most_looks = 4;

}  // namespace

// ---- a term ---------------------------------------------------------------------------------

bool leader_term::valid() const noexcept {
    return lead_->valid();
}

boottime_clock::time_point leader_term::valid_until() const noexcept {
    return lead_->valid_until();
}

turnstile::fencing_token leader_term::fencing_token() const noexcept {
    return lead_->fencing_token();
}

result<void> leader_term::status() const {
    return lead_->status();
}

result<commit_result> leader_term::commit(const transaction& what, const commit_options& options) {
    return lead_->commit(what, options);
}

// ---- the participant ------------------------------------------------------------------------

class leader_election::state : public std::enable_shared_from_this<state> {
public:
    state(const client& servers, std::string_view path, function&& duty, election_options&& options)
        : duty_{std::move(duty)},
          options_{std::move(options)},
          seat_{std::make_shared<detail::candidacy>(servers, path, k_wants,
                                                    detail::checked_id(options_.id),
                                                    detail::candidacy::when_lost::rest)} {}

    void observe() {
        seat_->observe([weak = weak_from_this()](detail::candidacy::stage now,
                                                 const std::shared_ptr<guard>& lead) {
            if (now != detail::candidacy::stage::leading) return;
            if (const auto self = weak.lock()) self->hand_over(lead);
        });
    }

    void start() {
        {
            const base::scoped_lock lock{mutex_};
            taking_part_ = true;
            if (!options_.run && !worker_) worker_ = detail::callback_queue::start({});
        }
        seat_->enter();
    }

    void close() noexcept {
        std::shared_ptr<detail::callback_queue> worker;
        std::stop_source term;
        {
            const base::scoped_lock lock{mutex_};
            taking_part_ = false;
            worker = std::exchange(worker_, nullptr);
            term = stop_;
        }
        seat_->leave();
        term.request_stop();
        await_function();
        if (worker) worker->finish();
    }

    void resign() noexcept {
        std::stop_source term;
        {
            const base::scoped_lock lock{mutex_};
            term = stop_;
        }
        term.request_stop();
    }

    result<void> move_to(std::string_view successor, boottime_clock::duration within,
                         const query_options& options);

    // The hold of the term that runs, or nullptr.
    [[nodiscard]] std::shared_ptr<guard> lead() const {
        const base::scoped_lock lock{mutex_};
        return term_;
    }
    [[nodiscard]] std::size_t terms() const {
        const base::scoped_lock lock{mutex_};
        return terms_;
    }
    [[nodiscard]] const detail::candidacy& seat() const noexcept { return *seat_; }

private:
    void hand_over(const std::shared_ptr<guard>& lead);
    void run_term(std::shared_ptr<guard> lead);
    // False: a named participant is to lead, and this one steps aside.
    [[nodiscard]] bool admitted(guard& lead) const;
    void call(const std::shared_ptr<guard>& lead, const std::stop_token& stop);
    void tell(const std::exception_ptr& thrown) const noexcept;
    void await_function() noexcept;

    const function duty_;
    const election_options options_;
    const std::shared_ptr<detail::candidacy> seat_;

    mutable base::mutex mutex_;
    base::condition changed_;
    bool taking_part_ GUARDED_BY(mutex_) = false;
    std::shared_ptr<detail::callback_queue> worker_ GUARDED_BY(mutex_);
    std::stop_source stop_ GUARDED_BY(mutex_);
    std::optional<owner> running_ GUARDED_BY(mutex_);  // the thread that is in run_term
    std::shared_ptr<guard> term_ GUARDED_BY(mutex_);
    std::size_t terms_ GUARDED_BY(mutex_) = 0;
};

// On the client's callbacks executor: nothing here may block.
void leader_election::state::hand_over(const std::shared_ptr<guard>& lead) {
    // The hold goes out of the task with the term: an executor may keep the task for long.
    const auto task = [self = shared_from_this(),
                       box = std::make_shared<std::shared_ptr<guard>>(lead)] {
        self->run_term(std::exchange(*box, nullptr));
    };
    std::shared_ptr<detail::callback_queue> worker;
    {
        const base::scoped_lock lock{mutex_};
        if (!taking_part_) return;
        worker = worker_;
    }
    if (worker) {
        worker->post(task);
        return worker->pump();
    }
    try {
        options_.run(task);
    } catch (...) {
        seat_->retire(lead);
        tell(std::current_exception());
    }
}

void leader_election::state::run_term(std::shared_ptr<guard> lead) {
    std::stop_source stop;
    {
        const base::scoped_lock lock{mutex_};
        if (!lead || !taking_part_ || running_) return;
        running_ = owner::calling_thread();
        stop_ = stop;
    }
    {
        const std::stop_callback on_loss{lead->lost(), [&stop] { stop.request_stop(); }};
        if (admitted(*lead)) call(lead, stop.get_token());
    }
    seat_->retire(lead);
    lead.reset();
    bool again = false;
    {
        const base::scoped_lock lock{mutex_};
        running_.reset();
        stop_ = std::stop_source{};
        again = taking_part_ && options_.then == after_term::enter_again;
        changed_.notify_all();
    }
    if (!again) return;
    seat_->enter();
    bool closed = false;  // meanwhile
    {
        const base::scoped_lock lock{mutex_};
        closed = !taking_part_;
    }
    if (closed) seat_->leave();
}

void leader_election::state::call(const std::shared_ptr<guard>& lead, const std::stop_token& stop) {
    {
        const base::scoped_lock lock{mutex_};
        term_ = lead;
        ++terms_;
    }
    try {
        leader_term term{lead, stop};
        duty_(term);
    } catch (...) {  // boost::thread_interrupted too
        tell(std::current_exception());
    }
    std::shared_ptr<guard> over;
    const base::scoped_lock lock{mutex_};
    over.swap(term_);
}

bool leader_election::state::admitted(guard& lead) const {
    const detail::stamped_node folder{*seat_->queue().servers(), seat_->queue().path(), lead};
    for (int look = 0; look != k_most_looks && lead.valid(); ++look) {
        const auto found = folder.read({});
        if (!found) break;
        if (!detail::succession_hint::parse(found->text)) return true;
        const auto now = folder.now({});
        if (!now) break;
        const auto next = detail::next_step(found->text, seat_->id(), *now);
        const auto written = folder.write(*found, next.write.value_or(std::string{}), {});
        if (written) return next.leads;
        if (written.error() != errc::bad_version) break;
    }
    return lead.valid();
}

result<void> leader_election::state::move_to(std::string_view successor,
                                             boottime_clock::duration within,
                                             const query_options& options) {
    const auto held = lead();
    const auto& queue = seat_->queue();
    if (!held || !held->valid())
        return error{errc::not_held, queue.path() + ": " + seat_->id() + " does not lead"};
    if (successor == seat_->id()) return {};
    const auto all = detail::participants(queue, options);
    if (!all) return all.error();
    const bool known = std::any_of(all->begin(), all->end(),
                                   [successor](const auto& one) { return one.id == successor; });
    if (!known) {
        return error{errc::bad_option, queue.path() + ": nobody called \"" +
                                           std::string{successor} + "\" takes part"};
    }
    const detail::stamped_node folder{*queue.servers(), queue.path(), *held};
    const auto found = folder.read(options);
    if (!found) return found.error();
    const auto now = folder.now(options);
    if (!now) return now.error();
    const auto until = *now + std::chrono::duration_cast<std::chrono::milliseconds>(within).count();
    const detail::succession_hint hint{std::string{successor},
                                       static_cast<std::uint32_t>(all->size()), until};
    if (auto written = folder.write(*found, hint.to_string(), options); !written) return written;
    resign();
    return {};
}

void leader_election::state::tell(const std::exception_ptr& thrown) const noexcept {
    try {
        if (options_.on_exception) return options_.on_exception(thrown);
        std::rethrow_exception(thrown);
    } catch (const std::exception& failure) {
        log::write(log_level::error, "the function of the election {} threw: {}",
                   seat_->queue().path(), failure.what());
    } catch (...) {
        log::write(log_level::error, "the function of the election {} threw",
                   seat_->queue().path());
    }
}

void leader_election::state::await_function() noexcept {
    const boost::this_thread::disable_interruption uninterrupted;
    base::scoped_lock lock{mutex_};
    while (running_ && *running_ != owner::calling_thread()) changed_.wait(lock);
}

// ---- the public class -----------------------------------------------------------------------

leader_election::leader_election(const client& servers, std::string_view path, function duty,
                                 election_options options) {
    if (!duty) throw_error({errc::bad_option, "leader_election: the function is empty"});
    state_ = std::make_shared<state>(servers, path, std::move(duty), std::move(options));
    state_->observe();
}

leader_election::~leader_election() {
    close();
}

const std::string& leader_election::path() const noexcept {
    return state_->seat().queue().path();
}

const std::string& leader_election::id() const noexcept {
    return state_->seat().id();
}

void leader_election::start() {
    state_->start();
}

void leader_election::close() noexcept {
    state_->close();
}

bool leader_election::leads() const noexcept {
    const auto lead = state_->lead();
    return lead && lead->valid();
}

std::size_t leader_election::terms() const noexcept {
    return state_->terms();
}

std::optional<error> leader_election::failure() const {
    return state_->seat().failure();
}

void leader_election::resign() noexcept {
    state_->resign();
}

result<void> leader_election::move_to(std::string_view successor, boottime_clock::duration within,
                                      const query_options& options) {
    return state_->move_to(successor, within, options);
}

result<std::vector<participant>> leader_election::participants(const query_options& options) const {
    return detail::participants(state_->seat().queue(), options);
}

result<std::optional<participant>> leader_election::leader(const query_options& options) const {
    return detail::first_participant(state_->seat().queue(), options);
}

}  // namespace turnstile
