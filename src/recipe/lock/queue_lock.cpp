// SPDX-License-Identifier: Apache-2.0
#include "recipe/lock/queue_lock.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/path.hpp"
#include "base/resource_name.hpp"
#include "client/hold.hpp"
#include "client/settings.hpp"
#include "client/shared_contender.hpp"
#include "core/queue/contender_name.hpp"
#include "recipe/lock/lock_queries.hpp"

namespace turnstile::detail {

namespace {

// Refuses a path whose last name has the form of a contender's name. Otherwise the folder of the lock would count as a
// contender of a lock on the parent path, and would block that lock.
void refuse_contender(std::string_view path) {
    const auto slash = path.rfind('/');
    if (!core::parse_contender(path.substr(slash + 1))) return;
    throw_error(
        {errc::bad_path,
         fmt::format("path {} ends in the name of a contender in the queue of {}; the path of "
                     "a lock must not end in such a name",
                     base::printable(path),
                     base::printable(path.substr(0, std::max<std::size_t>(slash, 1))))});
}

}  // namespace

queue_lock::queue_lock(std::shared_ptr<client_impl> servers, std::string_view path,
                       core::contender_family family)
    : client_{std::move(servers)}, path_{std::string{path}}, family_{family} {
    if (const auto good = base::validate_path(path); !good) throw_error(good.error());
    if (path == "/") throw_error({errc::bad_path, "\"/\": the root cannot be a lock's path"});
    refuse_contender(path);
    if (!client_) throw_error({errc::closed, "the client object was moved from"});
    resource_ = base::make_resource_name(client_->describe(), path_.str()).to_string();
}

queue_lock::queue_lock(const client& servers, std::string_view path, const lock_options& modes)
    : queue_lock{servers, path, core::contender_family::lock} {
    if (const auto good = check_modes(modes); !good) throw_error(good.error());
    lock_delay_ = modes.lock_delay;
    if (modes.cohort != 0 || modes.retain_for.count() != 0)
        shared_ = shared_contender::of(client_, path_, {core::claim_kind::lock}, modes);
}

result<acquire_request> queue_lock::request(const core::claim& wants, core::attempt mode,
                                            acquire_options&& options,
                                            acquire_request::handler&& done,
                                            std::string_view recipe) const {
    auto call = client_->request(path_, wants, mode, std::move(options), std::move(done), recipe);
    if (call) call->message.settings.lock_delay = lock_delay_;
    return call;
}

result<guard> queue_lock::acquire(acquire_options&& options, const core::claim& wants,
                                  core::attempt mode, std::string_view recipe) const {
    if (shared_) return shared_->acquire(std::move(options), mode);
    const auto started =
        client_->acquire(request(wants, mode, std::move(options), nullptr, recipe));
    if (!started) return started.error();
    return (*started)->wait();
}

void queue_lock::async_acquire(acquire_options options, const core::claim& wants,
                               std::function<void(result<guard>)> handler,
                               std::optional<std::string> data) const {
    if (!handler) throw_error({errc::bad_option, "async_acquire: the handler is empty"});
    if (shared_) return shared_->async_acquire(std::move(options), std::move(handler));
    auto call =
        request(wants, core::attempt::wait, std::move(options), acquire_request::handler{handler});
    if (call && data) call->set_data(std::move(*data));
    const auto started = client_->acquire(std::move(call));
    if (!started) client_->post([handler, why = started.error()] { handler(why); });
}

// ---- functions for a multi_lock -------------------------------------------------------------

core::claim queue_lock::exclusive_claim() const noexcept {
    return {family_ == core::contender_family::read_write ? core::claim_kind::write
                                                          : core::claim_kind::lock};
}

// ---- queries --------------------------------------------------------------------------------

result<bool> queue_lock::is_locked(const query_options& options) const {
    const auto names = contender_names(*client_, {path_, family_}, options);
    if (!names) return names.error();
    return !names->empty();
}

result<std::vector<contender>> queue_lock::queue(const query_options& options) const {
    return contenders(*client_, {path_, family_}, options);
}

result<std::optional<contender>> queue_lock::head(const query_options& options) const {
    return detail::head(*client_, {path_, family_}, options);
}

result<std::vector<contender>> queue_lock::holders(const query_options& options,
                                                   const core::permit_limit& permits) const {
    auto all = queue(options);
    if (!all) return all;
    std::vector<std::string> names;
    std::map<std::string, std::int64_t> czxids;
    for (const auto& entry : *all) {
        names.push_back(entry.name);
        czxids.emplace(entry.name, static_cast<std::int64_t>(entry.token.zxid()));
    }
    std::erase_if(*all, [&](const contender& entry) {
        return core::decide(names, entry.name, czxids, permits).verdict != core::verdict::granted;
    });
    return all;
}

result<std::size_t> queue_lock::position(const guard& hold, const query_options& options) const {
    if (hold.znode().empty()) return empty_guard(path_.str());
    if (hold.path() != path_.str())
        return error{errc::bad_option,
                     "the guard of " + hold.path() + " is no guard of the lock on " + path_.str()};
    const auto names = contender_names(*client_, {path_, family_}, options);
    if (!names) return names.error();
    const auto name = hold.znode().substr(hold.znode().rfind('/') + 1);
    const auto place = std::find(names->begin(), names->end(), name);
    if (place == names->end())
        return error{errc::removed, '"' + hold.znode() + "\" is not in the queue"};
    const auto number = core::contender_sequence(name);
    if (!number || !core::at_counter_end(*number))
        return static_cast<std::size_t>(place - names->begin());
    // Several contenders may have the same number as the guard's znode, because the servers' counter of znode numbers
    // has reached its end. Only the czxids of their znodes give their order, so this function reads the znodes of the
    // whole queue.
    const auto all = queue(options);
    if (!all) return all.error();
    const auto mine = std::find_if(all->begin(), all->end(),
                                   [&name](const contender& entry) { return entry.name == name; });
    if (mine == all->end())
        return error{errc::removed, '"' + hold.znode() + "\" is not in the queue"};
    return mine->position;
}

}  // namespace turnstile::detail
