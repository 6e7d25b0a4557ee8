// SPDX-License-Identifier: Apache-2.0
#include "turnstile/quorum_lock.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/duration_text.hpp"
#include "base/resource_name.hpp"
#include "client/internals.hpp"
#include "recipe/composite/quorum_hold.hpp"
#include "recipe/lock/standard_forms.hpp"
#include "turnstile/lock_status.hpp"

namespace turnstile {

namespace {

using namespace std::chrono_literals;
using ensembles = std::vector<detail::quorum_ensemble>;

constexpr std::size_t k_fewest = 3;
constexpr std::size_t k_most = 64;
constexpr auto k_longest = std::chrono::hours{24};

[[noreturn]] void refuse(const std::string& reason) {
    throw_error({errc::bad_option, "quorum_lock: " + reason});
}

void check(const char* name, std::chrono::milliseconds value) {
    if (value <= 0ms || value > k_longest) {
        refuse(std::string{name} + " is " + base::duration_text(value) +
               "; it must be positive and at most a day");
    }
}

void check(const quorum_options& options) {
    check("attempt", options.attempt);
    check("retry_first", options.retry_first);
    check("retry_longest", options.retry_longest);
    if (options.retry_longest < options.retry_first)
        refuse("retry_longest is shorter than retry_first");
}

// Returns the hosts of a text like "a:1,b:2".
std::set<std::string> split(const std::string& hosts) {
    std::set<std::string> all;
    for (std::size_t from = 0; from <= hosts.size();) {
        const auto to = std::min(hosts.find(',', from), hosts.size());
        all.insert(hosts.substr(from, to - from));
        from = to + 1;
    }
    return all;
}

// Checks the arguments. Refuses two ensembles that share a server, because that server would vote twice.
std::shared_ptr<const ensembles> checked(const std::vector<quorum_member>& members,
                                         std::string_view path, const quorum_options& options) {
    check(options);
    if (members.size() < k_fewest || members.size() > k_most) {
        refuse(std::to_string(members.size()) +
               " ensembles: there must be from 3 to 64, so that "
               "the loss of one leaves a majority");
    }
    auto checked_members = std::make_shared<ensembles>();
    std::set<std::string> names;
    std::set<std::string> hosts;
    for (const auto& ensemble : members) {
        const auto inside = detail::internals::of(ensemble.servers());
        if (!inside) throw_error({errc::closed, "the client object was moved from"});
        const auto where = base::make_resource_name(inside->describe(), "").hosts;
        const auto name = ensemble.name().empty() ? where : ensemble.name();
        for (const auto& host : split(where))
            if (!hosts.insert(host).second) refuse("two of the ensembles share the host " + host);
        if (!names.insert(name).second) refuse("two of the ensembles are called \"" + name + '"');
        checked_members->push_back(
            {name, detail::queue_lock{inside, path, core::contender_family::lock}});
    }
    // Sorts by name, so that every process has the same order. A caller that holds only the locks of ensembles late in
    // this order gives them up sooner than a caller that holds the lock of an early ensemble (core::quorum).
    std::sort(checked_members->begin(), checked_members->end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return checked_members;
}

}  // namespace

class quorum_lock::state {
public:
    state(const std::vector<quorum_member>& members, std::string_view path,
          const quorum_options& options)
        : all{checked(members, path, options)} {
        settings.parts = all->size();
        settings.attempt = options.attempt;
        settings.retry_first = options.retry_first;
        settings.retry_longest = options.retry_longest;
        for (const auto& ensemble : *all) resource += (resource.empty() ? "" : ",") + ensemble.name;
        resource += all->front().lock.path();
    }

    // Starts an acquire. `done` is empty for a blocking caller; the calling thread is then the owner of the hold. The
    // locks of the single ensembles have no owner, because no thread waits for one of them alone.
    [[nodiscard]] result<std::shared_ptr<detail::quorum_hold>> start(
        acquire_options&& options, core::attempt mode, detail::call::handler&& done = {}) const {
        for (const auto& ensemble : *all)
            if (const auto& servers = ensemble.lock.servers(); servers->forked())
                return servers->forked_error();
        const auto good = detail::check_refused(options, detail::composite::quorum, "quorum_lock");
        if (!good) return good.error();
        detail::acquire_request request{std::move(options), mode, std::move(done)};
        if (!request.done) request.name_owner();
        auto own_settings = settings;
        own_settings.deadline = request.message.deadline;
        if (request.message.settings.mode == core::attempt::once)
            own_settings.mode = core::quorum_settings::mode::once;
        auto hold = std::make_shared<detail::quorum_hold>(all, own_settings, std::move(request));
        hold->start();
        return hold;
    }
    [[nodiscard]] result<guard> acquire(acquire_options&& options, core::attempt mode) const {
        const auto started = start(std::move(options), mode);
        if (!started) return started.error();
        return (*started)->wait();
    }

    const std::shared_ptr<const ensembles> all;
    core::quorum_settings settings;
    std::string resource;
    detail::standard_forms threads;
};

quorum_lock::quorum_lock(std::vector<quorum_member> ensembles, std::string_view path,
                         quorum_options options)
    : state_{new state{ensembles, path, options}} {}

quorum_lock::~quorum_lock() = default;

const std::string& quorum_lock::path() const noexcept {
    return state_->all->front().lock.path();
}

const std::string& quorum_lock::resource() const noexcept {
    return state_->resource;
}

std::size_t quorum_lock::majority() const noexcept {
    return state_->all->size() / 2 + 1;
}

// ---- acquire and its variants ----------------------------------------------------------------

result<guard> quorum_lock::acquire(acquire_options options) {
    return state_->acquire(std::move(options), core::attempt::wait);
}

result<guard> quorum_lock::try_acquire(acquire_options options) {
    return state_->acquire(std::move(options), core::attempt::once);
}

void quorum_lock::async_acquire(acquire_options options,
                                std::function<void(result<guard>)> handler) {
    if (!handler) throw_error({errc::bad_option, "async_acquire: the handler is empty"});
    const auto started = state_->start(std::move(options), core::attempt::wait, std::move(handler));
    if (!started) throw_error(started.error());
}

std::vector<result<std::optional<contender>>> quorum_lock::heads(
    const query_options& options) const {
    std::vector<result<std::optional<contender>>> all;
    for (const auto& ensemble : *state_->all) all.push_back(ensemble.lock.head(options));
    return all;
}

// ---- functions of the standard's lock types ---------------------------------------------------

void quorum_lock::take() {
    state_->threads.lock(*this, path());
}

bool quorum_lock::try_take(boottime_clock::duration left) {
    return state_->threads.try_lock(*this, left);
}

void quorum_lock::give_back() {
    state_->threads.take(path()).unlock();
}

const guard* quorum_lock::own() const noexcept {
    return state_->threads.own();
}

}  // namespace turnstile
