// SPDX-License-Identifier: Apache-2.0
// write_context: what the commits of a hold may ask of the session that it belongs to, and what is told of a commit.
//
// It is passed in with each event and not kept. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

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
    friend bool operator==(const own_znode&, const own_znode&) = default;
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

}  // namespace turnstile::core
