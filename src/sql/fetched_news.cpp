// SPDX-License-Identifier: Apache-2.0
#include "sql/fetched_news.hpp"

#include <algorithm>
#include <utility>

#include "local/znode_path.hpp"

namespace turnstile::sql {

void fetched_news::begin() noexcept {
    query_.reset();
    fired_.clear();
    fetched_.clear();
    dropped_.clear();
}

// A single UNION statement fetches rows of several kinds. The first cell of a row is its kind.
void fetched_news::ask(session_id session, ends deadlines, std::span<const std::string> folders) {
    const phrases& words = db_.words();
    const std::string id = folders.size() > 1 ? "?2" : "?1";  // a list of folders is ?1
    std::string text =
        "SELECT 0, id, kind, path, nonce FROM turnstile_events WHERE session = " + id +
        " UNION ALL SELECT 3, changes, 0, '', 0 FROM turnstile_sessions WHERE id = " + id;
    if (deadlines == ends::asked)
        text += " UNION ALL SELECT 1, min(deadline) - " + words.now +
                ", 0, '', 0 FROM turnstile_sessions WHERE id <> " + id;
    if (folders.empty()) {
        query_ = db_.ask(text, {session});
    } else if (folders.size() == 1) {
        text += " UNION ALL SELECT 2, owner, 0, path, 0 FROM turnstile_nodes WHERE parent = ?2";
        query_ = db_.ask(text, {session, folders.front()});
    } else {
        text += " UNION ALL SELECT 2, owner, 0, path, 0 FROM " + words.listed +
                "turnstile_nodes WHERE parent " + words.among;
        query_ = db_.ask(text, {db_.list_of(folders), session});
    }
}

news fetched_news::take() {
    enum class part : std::int64_t { event, next_end, child, changes };
    news out;
    if (!query_) return out;
    std::int64_t changes = 0;
    for (row& r : db_.answer(*query_).rows) {
        switch (static_cast<part>(to_integer(r[0]))) {
            case part::event: {
                event_row event = event_in(std::move(r));
                if (delivered_.contains(event.nonce)) break;
                fetched_.push_back(event.nonce);
                if (event.own_removed) removed_.insert(std::move(event.path));
                if (event.fired)
                    out.events.push_back(
                        {event.id, *event.fired, std::move(event.path),
                         fired_.contains(event.nonce) ? fired_.at(event.nonce) : 0});
                break;
            }
            case part::next_end:
                if (!r[1].empty()) out.next_end = span_in(r[1]);
                break;
            case part::child:
                if (auto found = child_in(r))
                    out.children[local::parent_of(r[3])].push_back(*std::move(found));
                break;
            case part::changes: changes = to_integer(r[1]); break;
        }
    }
    count(changes);
    std::sort(out.events.begin(), out.events.end(),
              [](const queued_event& a, const queued_event& b) { return a.id < b.id; });
    return out;
}

// Finds the rows by nonce, not by id: a server that was restored from older data assigns the same ids again, to other
// events.
void fetched_news::drop_fetched(session_id session) {
    if (delivered_.empty()) return;
    dropped_.assign(delivered_.begin(), delivered_.end());
    db_.post(
        "DELETE FROM turnstile_events WHERE session = ?2 AND nonce " + db_.words().among_numbers,
        {db_.list_of(std::span<const std::int64_t>{dropped_}), session});
}

void fetched_news::count(std::int64_t changes) {
    if (changes <= changes_) return;
    changes_ = changes;
    removed_.clear();
}

void fetched_news::committed() {
    for (const std::int64_t nonce : dropped_) delivered_.erase(nonce);
    delivered_.insert(fetched_.begin(), fetched_.end());
    if (query_) db_.has_heard(delivered_);
}

}  // namespace turnstile::sql
