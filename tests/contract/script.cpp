// SPDX-License-Identifier: Apache-2.0
#include "contract/script.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <utility>

#include "contract/probe.hpp"

namespace turnstile::contract {
namespace {

using core::create_mode;
using core::watch_mode;

// ---- making random requests (a script) --------------------------------------------------------

class author {
public:
    explicit author(std::uint64_t seed) : random_{seed} {}

    step next_step() {
        step s;
        s.session = below(k_script_sessions);
        const std::size_t dice = below(100);
        if (dice < 4) {
            s.sort = step::kind::reopen;
        } else if (dice < 10) {
            s.sort = step::kind::forget;
            s.path = path();
        } else {
            const std::size_t together = below(3) == 0 ? 1 + below(4) : 1;
            for (std::size_t i = 0; i < together; ++i) {
                s.requests.push_back(request());
                list_behind(s.requests);
            }
        }
        return s;
    }

private:
    // Returns a number below n. std::uniform_int_distribution would differ between platforms.
    std::size_t below(std::size_t n) { return random_() % n; }

    // There are few paths, so that several sessions often use the same node.
    std::string path() {
        static const std::vector<std::string> k_paths{"/",
                                                      "/a",
                                                      "/b",
                                                      "/c",
                                                      "/a/x",
                                                      "/a/y",
                                                      "/b/x",
                                                      "/a/x/z",
                                                      "/a/s0000000000",
                                                      "/a/s0000000001"};
        return k_paths[below(k_paths.size())];
    }
    std::int32_t version() {
        return below(2) == 0 ? core::k_any_version : static_cast<std::int32_t>(below(3));
    }
    watch_mode watch() { return below(2) == 0 ? watch_mode::watch : watch_mode::none; }

    core::create_op create(bool in_multi) {
        core::create_op op;
        op.path = path();
        op.data = std::string(below(4), 'd');
        op.acl = below(8) == 0 ? core::acl_policy::creator_only : core::acl_policy::open;
        op.mode = static_cast<create_mode>(below(in_multi ? 4 : 5));
        const bool sequential = op.mode == create_mode::persistent_sequential ||
                                op.mode == create_mode::ephemeral_sequential;
        if (sequential) op.path = below(2) == 0 ? "/a/s" : "/b/t-";
        return op;
    }
    core::remove_op remove() { return {path(), version()}; }
    core::set_op set() { return {path(), std::string(below(4), 's'), version()}; }

    core::multi_op multi() {
        core::multi_op op;
        const std::size_t parts = below(5);
        for (std::size_t i = 0; i < parts; ++i) op.parts.push_back(part());
        return op;
    }
    core::multi_part part() {
        switch (below(4)) {
            case 0: return remove();
            case 1: return set();
            case 2: return core::check_op{path(), version()};
            default: return create(true);
        }
    }

    core::operation request() {
        switch (below(13)) {
            case 0:
            case 1:
            case 2:
            case 3: return create(false);
            case 4:
            case 5: return remove();
            case 6: return set();
            case 7: return core::get_op{path(), watch()};
            case 8: return core::exists_op{path(), watch()};
            case 9:
            case 10: return core::children_op{path(), watch()};
            default: return multi();
        }
    }

    // Sometimes lists the folder after a create, as a contender does.
    void list_behind(std::vector<core::operation>& requests) {
        const auto* create = std::get_if<core::create_op>(&requests.back());
        if (create == nullptr || create->mode != create_mode::ephemeral_sequential) return;
        if (below(4) == 0) return;
        requests.emplace_back(core::children_op{create->path.substr(0, create->path.rfind('/'))});
    }

    std::mt19937_64 random_;
};

// ---- sending the requests of a script ---------------------------------------------------------

std::string in_folder(const std::string& folder, const std::string& path) {
    return path == "/" ? folder : folder + path;
}

core::operation in_folder(const std::string& folder, core::operation op) {
    const auto rebase = [&](auto& part) { part.path = in_folder(folder, part.path); };
    if (auto* multi = std::get_if<core::multi_op>(&op)) {
        for (core::multi_part& part : multi->parts) std::visit(rebase, part);
        return op;
    }
    std::visit(
        [&](auto& part) {
            if constexpr (requires { part.path; }) rebase(part);
        },
        op);
    return op;
}

class player {
public:
    player(core::coordinator& servers, std::string folder, zxids told)
        : servers_{servers}, folder_{std::move(folder)}, told_{told} {
        for (std::size_t i = 0; i < k_script_sessions; ++i) reopen(i);
        first_zxid_ = probes_[0]->ask(core::create_op{folder_}).stat.czxid;
        static_cast<void>(probes_[0]->heard());
    }

    std::string play(const step& step) {
        std::vector<core::reply> replies;
        switch (step.sort) {
            case step::kind::ask: replies = ask(step); break;
            case step::kind::forget:
                probes_[step.session]->forget(in_folder(folder_, step.path));
                break;
            case step::kind::reopen: reopen(step.session); break;
        }
        for (const auto& session : probes_) session->begin_settling();
        // The text of a step begins with the messages to the session that made the step, in order, with the content of
        // each reply.
        std::string text;
        auto reply = replies.cbegin();
        for (std::size_t i = 0; i < k_script_sessions; ++i) {
            const std::size_t session = (step.session + i) % k_script_sessions;
            std::vector<std::string> lines = probes_[session]->heard();
            if (step.sort == step::kind::reopen) std::sort(lines.begin(), lines.end());
            for (const std::string& line : lines) {
                text += "  " + std::to_string(session) + " " +
                        (line.starts_with("reply") ? describe(*reply++) : "hears " + line) + "\n";
            }
        }
        return text;
    }

private:
    void reopen(std::size_t i) {
        static const std::vector<std::string> k_credentials{"a:secret", "b:secret", ""};
        probes_[i].reset();
        probes_[i] = std::make_unique<probe>(servers_, k_credentials.at(i));
        sessions_.push_back(probes_[i]->id());
    }

    std::vector<core::reply> ask(const step& step) {
        probe& asker = *probes_[step.session];
        std::vector<core::ticket> tickets;
        for (const core::operation& op : step.requests) {
            const bool last = tickets.size() + 1 == step.requests.size();
            tickets.push_back(asker.submit(in_folder(folder_, op), !last));
        }
        std::vector<core::reply> replies;
        for (const core::ticket id : tickets) replies.push_back(asker.wait(id));
        return replies;
    }

    std::string describe(const core::reply& r) {
        std::string text =
            to_string(r.error) + " '" + r.path + "' '" + r.data + "' " + describe(r.stat);
        std::vector<std::string> children = r.children;
        std::sort(children.begin(), children.end());
        for (const std::string& child : children) text += " " + child;
        for (const core::server_error part : r.parts) text += " " + to_string(part);
        for (const std::string& path : r.paths) text += " '" + path + "'";
        for (const std::int32_t version : r.versions) text += " v" + std::to_string(version);
        return text;
    }

    std::int64_t told(std::int64_t zxid) {
        if (told_ == zxids::counted) return zxid - first_zxid_;
        const auto place = seen_.insert(zxid).first;
        return std::distance(seen_.begin(), place);
    }

    std::string describe(const core::stat& s) {
        if (s == core::stat{}) return "-";
        const auto number = [](std::int64_t n) { return std::to_string(n) + " "; };
        std::string text = "[c" + number(told(s.czxid));
        text += "m" + number(told(s.mzxid));
        text += "p" + number(told(s.pzxid));
        return text + "v" + number(s.version) + number(s.cversion) + number(s.aversion) + "owner " +
               owner(s.ephemeral_owner) + "length " + number(s.data_length) + "children " +
               std::to_string(s.num_children) + "]";
    }

    std::string owner(std::int64_t id) const {
        if (id == 0) return "none ";
        const auto found = std::find(sessions_.begin(), sessions_.end(), id);
        return std::to_string(found - sessions_.begin()) + " ";
    }

    core::coordinator& servers_;
    const std::string folder_;
    const zxids told_;
    std::int64_t first_zxid_ = 0;
    std::set<std::int64_t> seen_;
    std::unique_ptr<probe> probes_[k_script_sessions];
    std::vector<std::int64_t> sessions_;  // session ids in the order of opening
};

// ---- the requests of a script as text ---------------------------------------------------------

struct teller {
    std::string operator()(const core::create_op& op) const {
        static const char* const k_modes[] = {"persistent", "ephemeral", "persistent_sequential",
                                              "ephemeral_sequential", "container"};
        return "create " + op.path + " '" + op.data + "' " +
               k_modes[static_cast<std::size_t>(op.mode)] +
               (op.acl == core::acl_policy::open ? "" : " creator_only");
    }
    std::string operator()(const core::remove_op& op) const {
        return "remove " + op.path + " v" + std::to_string(op.version);
    }
    std::string operator()(const core::set_op& op) const {
        return "set " + op.path + " '" + op.data + "' v" + std::to_string(op.version);
    }
    std::string operator()(const core::check_op& op) const {
        return "check " + op.path + " v" + std::to_string(op.version);
    }
    std::string operator()(const core::get_op& op) const { return "get " + watched(op); }
    std::string operator()(const core::exists_op& op) const { return "exists " + watched(op); }
    std::string operator()(const core::children_op& op) const { return "children " + watched(op); }
    std::string operator()(const core::multi_op& op) const {
        std::string text = "multi {";
        for (const core::multi_part& part : op.parts) text += " " + std::visit(*this, part) + ";";
        return text + " }";
    }
    template <class Op>
    static std::string watched(const Op& op) {
        return op.path + (op.watch == watch_mode::watch ? " watch" : "");
    }
};

}  // namespace

script make_script(std::uint64_t seed, std::size_t steps) {
    author a{seed};
    script all;
    for (std::size_t i = 0; i < steps; ++i) all.push_back(a.next_step());
    return all;
}

std::vector<std::string> play(const script& steps, core::coordinator& servers,
                              const std::string& folder, zxids told) {
    player p{servers, folder, told};
    std::vector<std::string> texts;
    for (const step& s : steps) texts.push_back(p.play(s));
    return texts;
}

std::string to_string(const step& step) {
    std::string text = "session " + std::to_string(step.session) + ": ";
    if (step.sort == step::kind::reopen) return text + "closes and opens again";
    if (step.sort == step::kind::forget) return text + "forgets its data watches on " + step.path;
    for (const core::operation& op : step.requests) text += std::visit(teller{}, op) + " ";
    return text;
}

}  // namespace turnstile::contract
