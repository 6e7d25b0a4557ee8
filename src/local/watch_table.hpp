// SPDX-License-Identifier: Apache-2.0
// watch_table: the one-shot watches of one kind (data or children), by path and by session.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/seam/seam.hpp"

namespace turnstile::local {

using session_id = std::int64_t;

// A watch event, and the session that had set the watch.
struct fired_watch {
    session_id session = 0;
    core::watch_kind kind{};
    std::string path;
    friend bool operator==(const fired_watch&, const fired_watch&) = default;
};

// A value without thread safety. A session has at most one watch on a path, as on the servers.
class watch_table {
public:
    void add(session_id session, const std::string& path);
    bool remove(session_id session, const std::string& path);
    void remove_session(session_id session);

    // Removes the watches on `path` and returns their sessions in ascending order.
    [[nodiscard]] std::set<session_id> take(const std::string& path);

    [[nodiscard]] bool contains(session_id session, const std::string& path) const;
    [[nodiscard]] std::set<std::string> of(session_id session) const;
    [[nodiscard]] std::size_t size() const noexcept;

    friend bool operator==(const watch_table&, const watch_table&) = default;

private:
    void unlink_path(session_id session, const std::string& path);
    void unlink_session(session_id session, const std::string& path);

    std::map<std::string, std::set<session_id>> by_path_;
    std::map<session_id, std::set<std::string>> by_session_;
};

}  // namespace turnstile::local
