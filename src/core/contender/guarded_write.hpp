// SPDX-License-Identifier: Apache-2.0
// guarded_writes: the commits of one hold, one after the other: each a multi that fails at the servers
// unless the hold's own znode stands unchanged.
//
// The multi *sets* the own znode, with the version v that it must have and with the data that it has,
// checks the znodes of further holds that the caller named, and then does the caller's parts (commit_plan.hpp). So it
// is applied at most once, it is not applied once the znode
// is gone or another client has written to it, and afterwards the znode has version v + 1.
//
// | step      | meaning                              | leads to                                       |
// |-----------|--------------------------------------|------------------------------------------------|
// | idle      | nothing is under way; version is v   | planning, or sent, as soon as there is a commit |
// | planning  | what is there is being read          | idle: the plan is drawn, or has to be read again |
// | sent      | the multi is under way               | idle: told; unsure: the answer is lost          |
// | unsure    | whether it was applied is not known  | resolving, on the next connection               |
// | resolving | a fence and a read are under way     | idle: told, or sent again; unsure               |
// | looking   | another client wrote: v is read anew | idle: sent again, unless the hold is taken away |
//
// Finding out (G8): the *fence* is a multi of two sets of the own znode, from v to v + 2. Whatever
// becomes of it and of the commit, at most one of them is ever applied, since both want v; a commit that
// is still on its way somewhere cannot follow a fence. The read behind it tells: v + 1 is the commit,
// v + 2 the fence. Then the commit was not applied and never will be, and it is sent again with v + 2
// if the hold still stands. Where the znode is gone, has another client's data, or went with its session
// the outcome stays unknown and is told as that (errc::outcome_unknown).
//
// A pure value. Thread safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/contender/commit_plan.hpp"
#include "core/contender/notice.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// A commit that was applied.
struct committed {
    // For each part the name of the znode that it created, else empty; nothing at all if the answer was
    // lost and only the znode's version told of the success.
    std::optional<std::vector<std::string>> paths;
    // For each part the version that it left, -1 where it left none; empty with no paths.
    std::vector<std::int32_t> versions{};
    friend bool operator==(const committed&, const committed&) = default;
};
using commit_outcome = std::variant<committed, error>;

// The znode of a hold as the hold knows it.
struct own_znode {
    std::string path;
    std::string data;
    std::int32_t version = 0;
    bool settled = false;  // the hold itself is not about to change it
};

// What the commits of a hold may ask of its session.
class write_context {
public:
    [[nodiscard]] virtual own_znode own() const = 0;
    [[nodiscard]] virtual bool attached() const = 0;
    [[nodiscard]] virtual std::uint64_t connection() const = 0;
    virtual ticket submit(operation&& op) = 0;
    // Nothing came of a request although the connection may live: call on_attached some time later.
    virtual void retry_later() = 0;
    // The hold's znode has this version; k_any_version while it is not known.
    virtual void version_became(std::int32_t version) = 0;
    // Hands a reply to a read of the hold's znode to the hold, which may end by it and then calls on_hold_over.
    virtual void apply(const reply& answer) = 0;
    virtual void tell(acquisition_id commit, commit_outcome&& outcome) = 0;

protected:
    ~write_context() = default;
};

class guarded_writes {
public:
    // ---- events in -----------------------------------------------------------------------
    // `standing`: znodes of further holds, which have to stand when it is carried out.
    void add(write_context& c, acquisition_id commit, std::vector<write_part> parts,
             std::vector<std::string> standing = {});
    // The caller gives up: told `why` if nothing was sent, else that the outcome is unknown.
    void cancel(write_context& c, acquisition_id commit, const error& why);
    void on_reply(write_context& c, const reply& answer);
    void on_attached(write_context& c);
    void proceed(write_context& c) { go_on(c); }  // the znode is settled, perhaps
    // The hold is lost: what was not sent is told `why`; what was is still found out about.
    void on_hold_over(write_context& c, const error& why);
    // The session is over at the servers, and the znode with it.
    void on_epoch_end(write_context& c, const error& why);

    // ---- state ---------------------------------------------------------------------------
    [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }
    // There is something to send, and nothing under way.
    [[nodiscard]] bool waits() const noexcept {
        return step_ == step::idle && !queue_.empty() && !awaits_retry_;
    }

    friend bool operator==(const guarded_writes&, const guarded_writes&) = default;

private:
    enum class step { idle, planning, sent, unsure, resolving, looking };
    struct commit {
        acquisition_id id{};
        commit_plan plan;
        std::vector<std::string> standing;
        bool answered = false;
        friend bool operator==(const commit&, const commit&) = default;
    };

    void go_on(write_context& c);
    void send(write_context& c);
    void plan(write_context& c);
    void on_planned(write_context& c, const std::string& path, const reply& answer);
    void drop_plan();
    void resolve(write_context& c);
    void on_written(write_context& c, const reply& answer);
    void on_refused(write_context& c, const reply& answer);
    void on_part_refused(write_context& c, std::size_t index, server_error why);
    void on_read(write_context& c, const reply& answer);
    void on_looked(write_context& c, const reply& answer);
    void not_applied(write_context& c);
    void became_unsure(write_context& c, const reply& answer);
    void suspend(write_context& c, const reply& answer);
    void settle(write_context& c, std::int32_t version);
    void finish(write_context& c, commit_outcome&& outcome);
    void fail_unsent(write_context& c, const error& why);
    [[nodiscard]] error unknown(const std::string& reason) const;

    std::string znode_;  // these three of the commit that is under way
    std::string data_;
    std::int32_t version_ = 0;
    step step_ = step::idle;
    std::deque<commit> queue_;                // the first is under way, unless idle
    std::map<ticket, std::string> planning_;  // the questions that are not answered
    std::set<std::string> there_;             // of those that are
    std::optional<ticket> writing_;
    std::optional<ticket> fencing_;
    std::optional<ticket> reading_;
    std::optional<ticket> looking_;
    std::optional<error> over_;
    bool awaits_retry_ = false;
};

// What refused part `index` of a transaction, counted from 0, for people; see guarded_write.cpp.
[[nodiscard]] error refused_part(const multi_part& part, std::size_t index, server_error why);

}  // namespace turnstile::core
