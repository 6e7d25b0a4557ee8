// SPDX-License-Identifier: Apache-2.0
// The part of store that fetches the news in each transaction: events, changes, and removals by other sessions.
#include <algorithm>
#include <utility>

#include "local/znode_path.hpp"
#include "sql/store.hpp"

namespace turnstile::sql {

// Asks for the news after all reads of the transaction, so an event is delivered before the reply that shows its
// effect. One statement fetches all; the first cell of each row says what the row contains.
void store::ask_for_news(ends deadlines, std::span<const std::string> folders) {
    const phrases& words = db_.words();
    const std::string id = folders.size() > 1 ? "?2" : "?1";  // a list of folders is ?1
    std::string text =
        "SELECT 0, id, kind, path, nonce FROM turnstile_events WHERE session = " + id +
        " UNION ALL SELECT 3, changes, 0, '', 0 FROM turnstile_sessions WHERE id = " + id;
    if (deadlines == ends::asked)
        text += " UNION ALL SELECT 1, min(deadline) - " + words.now +
                ", 0, '', 0 FROM turnstile_sessions WHERE id <> " + id;
    if (folders.empty()) {
        news_ = db_.ask(text, {own_.id});
    } else if (folders.size() == 1) {
        text += " UNION ALL SELECT 2, owner, 0, path, 0 FROM turnstile_nodes WHERE parent = ?2";
        news_ = db_.ask(text, {own_.id, folders.front()});
    } else {
        text += " UNION ALL SELECT 2, owner, 0, path, 0 FROM " + words.listed +
                "turnstile_nodes WHERE parent " + words.among;
        news_ = db_.ask(text, {db_.list_of(folders), own_.id});
    }
}

store::news store::take_news() {
    enum class part : std::int64_t { event, next_end, child, changes };
    news out;
    if (!news_) return out;
    std::int64_t changes = 0;
    std::vector<std::string> removed;
    for (row& r : db_.answer(*news_).rows) {
        switch (static_cast<part>(to_integer(r[0]))) {
            case part::event: {
                event_row event = event_in(std::move(r));
                if (delivered_.contains(event.nonce)) break;
                fetched_.push_back(event.nonce);
                if (event.own_removed) removed.push_back(std::move(event.path));
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
    removed_.insert(removed.begin(), removed.end());
    count(changes);
    std::sort(out.events.begin(), out.events.end(),
              [](const queued_event& a, const queued_event& b) { return a.id < b.id; });
    return out;
}

// Deletes the rows of the events that this process has handled. The statement finds the rows by their nonces, not by
// their ids. A server that continues from older data assigns the same ids again, to other events.
void store::drop_fetched() {
    if (delivered_.empty()) return;
    dropped_.assign(delivered_.begin(), delivered_.end());
    db_.post(
        "DELETE FROM turnstile_events WHERE session = ?2 AND nonce " + db_.words().among_numbers,
        {db_.list_of(std::span<const std::int64_t>{dropped_}), own_.id});
}

// A removal by another session cannot be lost any more if the database still knows a later change of this session.
void store::count(std::int64_t changes) {
    if (changes <= changes_) return;
    changes_ = changes;
    removed_.clear();
}

bool store::one_stands_again() {
    if (removed_.empty()) return false;
    const std::vector<std::string> owned = nodes_.ephemerals_of(own_.id);
    return std::any_of(owned.begin(), owned.end(),
                       [this](const std::string& path) { return removed_.contains(path); });
}

}  // namespace turnstile::sql
