// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/client_requests.hpp"

#include <utility>

#include "base/random.hpp"

namespace turnstile::zookeeper {
namespace {

// Returns the Stat that a znode had at its creation, derived from a later Stat.
core::stat as_created(const core::stat& later, std::int32_t bytes) {
    core::stat first;
    first.czxid = first.mzxid = first.pzxid = later.czxid;
    first.ctime = first.mtime = later.ctime;
    first.ephemeral_owner = later.ephemeral_owner;
    first.data_length = bytes;
    return first;
}

// Makes the outcome `unknown`: the server may have created the znode, but its Stat did not arrive. The caller then
// looks for the znode, as after any lost answer.
void leave_open(outstanding_request& p, judged_code& word) {
    word = {core::outcome::unknown, core::server_error::ok};
    p.answer.path.clear();
}

}  // namespace

void watch_book::asked(const std::string& path) {
    entry& e = entries_[path];
    ++e.under_way;
    e.unwanted = false;
}

bool watch_book::answered(const std::string& path) {
    const auto at = entries_.find(path);
    if (at == entries_.end() || --at->second.under_way > 0) return false;
    if (at->second.unwanted) return true;
    entries_.erase(at);
    return false;
}

bool watch_book::forgotten(const std::string& path) {
    entry& e = entries_[path];
    e.unwanted = true;
    return e.under_way == 0;
}

void watch_book::removed(const std::string& path) {
    const auto at = entries_.find(path);
    if (at != entries_.end() && at->second.unwanted && at->second.under_way == 0) {
        entries_.erase(at);
    }
}

std::vector<std::string> watch_book::left_over() const {
    std::vector<std::string> out;
    for (const auto& [path, e] : entries_) {
        if (e.unwanted && e.under_way == 0) out.push_back(path);
    }
    return out;
}

outstanding_request& client_requests::add(outstanding_request::purpose why) {
    outstanding_request& p = pending_.add();
    p.owner = &owner_;
    p.why = why;
    p.answer.connection = state_.connection();
    return p;
}

bool client_requests::handed_over(outstanding_request& p, int rc) {
    if (rc == ZOK) {
        pending_.handed_over();
    } else {
        pending_.remove(p);
    }
    return rc == ZOK;
}

bool client_requests::submit(const core::request& request) {
    outstanding_request& p = add(outstanding_request::purpose::user);
    p.answer.id = request.id;
    if (const auto* path = watch_of(request.op)) {
        p.sets_watch = true;
        p.path = *path;
    }
    bool unknown = false;
    if (const auto* const create = std::get_if<core::create_op>(&request.op)) {
        const auto step = servers_.first_step(create->mode);
        unknown = !step;
        p.step = step.value_or(create_step::none);
        p.created_bytes = static_cast<std::int32_t>(create->data.size());
    }
    p.answer.sent = boottime_clock::now();
    int rc = ZINVALIDSTATE;
    if (state_.is_usable())
        rc = unknown ? ZUNIMPLEMENTED : hand_over(handle_.get(), request.op, tell_, p);
    if (rc == ZOK) {
        pending_.handed_over();
        own_.submitted(request.op);
        if (p.sets_watch) watches_.asked(p.path);
        return false;
    }
    const judged_code word = judge_call(rc);
    p.answer.outcome = word.outcome;
    p.answer.error = word.error;
    p.settled = true;
    return pending_.first_settled() == &p;
}

void client_requests::forget_watches(const std::string& path) {
    if (watches_.forgotten(path) && state_.is_usable()) send_removal(path);
}

void client_requests::remove_left_over_watches() {
    for (const auto& path : watches_.left_over()) send_removal(path);
}

void client_requests::send_removal(const std::string& path) {
    if (servers_.lacks_removals()) return forget_here(path);
    outstanding_request& p = add(outstanding_request::purpose::watch_removal);
    p.path = path;
    // ZNOWATCHER: the watch has fired already or did not exist. ZINVALIDSTATE: the handle is dead. In both cases
    // nothing remains to be removed.
    if (!handed_over(p, hand_over_removal(handle_.get(), path, p))) watches_.removed(path);
}

// Removes the watch only in the C client, which then ignores a later event. The C client's asynchronous function for
// this would dereference a null pointer. The synchronous function does not wait for a server here.
void client_requests::forget_here(const std::string& path) {
    zoo_remove_all_watches(handle_.get(), path.c_str(), ZWATCHTYPE_ANY, 1);
    watches_.removed(path);
}

void client_requests::send_witness(const std::optional<server_answers>& told) {
    outstanding_request& p = add(outstanding_request::purpose::witness);
    p.told = told;
    static_cast<void>(handed_over(p, hand_over_witness(handle_.get(), p)));
}

// Sends two requests whose answers show the server's software: a `check` inside a multi request, and a request to
// create a container. Both paths are below a znode that does not exist, so no server creates a znode, and the client
// needs no permission. Some servers close the connection at an unknown request.
void client_requests::identify(server_answers told) {
    if (!servers_.begin_examination(told)) return send_witness(told);
    auto chance = base::random::from_system();
    const std::string nowhere = "/turnstile-" + base::make_guid(chance) + "/x";
    core::multi_op check;
    check.parts.emplace_back(core::check_op{nowhere});
    if (examine(check, {}))
        static_cast<void>(
            examine(core::create_op{nowhere, {}, core::create_mode::container}, told));
}

bool client_requests::examine(const core::operation& question,
                              const std::optional<server_answers>& told) {
    outstanding_request& p = add(outstanding_request::purpose::examination);
    p.told = told;
    return handed_over(p, hand_over(handle_.get(), question, {}, p));
}

std::optional<judged_code> client_requests::apply(outstanding_request& p, int rc) {
    pending_.came_back();
    judged_code word = judge_completion(rc);
    // When the session leaves a silent server, the session reports the end of the connection to the core at once. An
    // answer that still arrives on that connection counts as an unknown outcome.
    if (state_.is_detached() && word.outcome == core::outcome::answered)
        word = {core::outcome::unknown, core::server_error::ok};
    servers_.learn_create(p.step, p.answer.connection, word, state_.is_closed());
    if (p.step == create_step::create && send_stat(p, word)) return std::nullopt;
    // Many servers close the connection after the answer "unimplemented". So the outcome becomes `not_sent`, which
    // makes the core create the znode again, with the two older requests: `create`, and a read of the Stat.
    if (p.step == create_step::create2 && word.error == core::server_error::unimplemented)
        word = {core::outcome::not_sent, core::server_error::ok};
    if (p.step != create_step::stat) return word;
    if (word.error == core::server_error::ok && word.outcome == core::outcome::answered &&
        state_.connection() == p.answer.connection) {
        p.answer.stat = as_created(p.answer.stat, p.created_bytes);
    } else {
        leave_open(p, word);
    }
    return word;
}

bool client_requests::send_stat(outstanding_request& p, judged_code& word) {
    if (word.outcome != core::outcome::answered || word.error != core::server_error::ok)
        return false;
    p.answer.connection = state_.connection();
    // The request for the stat may be sent while the connection moves to the leader, because the move waits for
    // requests in progress.
    if (state_.is_closed() || !state_.is_linked() || hand_over_stat(handle_.get(), p) != ZOK) {
        leave_open(p, word);
        return false;
    }
    p.step = create_step::stat;
    pending_.handed_over();
    return true;
}

void client_requests::apply_to_watches(const outstanding_request& p, int rc) {
    if (p.why == outstanding_request::purpose::watch_removal) {
        const auto word = judge_completion(rc);
        servers_.learn_removal(p.answer.connection, word, state_.is_closed());
        // If a removal of watches gets no answer, the session sends the removal again after the next attach.
        if (word.outcome == core::outcome::answered && rc == ZUNIMPLEMENTED) {
            forget_here(p.path);
        } else if (word.outcome == core::outcome::answered) {
            watches_.removed(p.path);
        }
    }
    if (p.sets_watch && watches_.answered(p.path) && state_.is_usable()) send_removal(p.path);
}

std::optional<core::reply> client_requests::take_settled() {
    outstanding_request* const p = pending_.first_settled();
    if (p == nullptr) return std::nullopt;
    core::reply reply{std::move(p->answer)};
    pending_.remove(*p);
    return reply;
}

}  // namespace turnstile::zookeeper
