// SPDX-License-Identifier: Apache-2.0
// composite_judge: checks holds of several locks at once. invariants.hpp checks the promises of each lock. A *part* is
// the contender for one of the locks.
//
// | name | judged                                                                                 |
// |------|----------------------------------------------------------------------------------------|
// | G1   | A call for all of several locks succeeds only when the client has all of them, a call  |
// |      | for a quorum only when it has a majority. No two quorum holds are valid at once.       |
// | G4   | A failed or abandoned call leaves no contender behind.                                 |
// | G5   | The loss of a lock (for a quorum: of the majority) is reported soon.                   |
// | G6   | A write carries the fencing tokens of all locks of a valid hold. None of these tokens  |
// |      | is smaller than the token of the same lock in an earlier write.                        |
// | G7   | Waits end by their deadlines.                                                          |
//
// G1 does not cover parts that an operator removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/composite/all_of.hpp"
#include "core/composite/quorum.hpp"
#include "core/contender/notice.hpp"
#include "simulation/history.hpp"
#include "turnstile/fencing_vector.hpp"
#include "verification/invariants.hpp"

namespace turnstile::simulation {

// composite: a simulated client's call for several locks at once, with core::all_of or core::quorum and one contender
// for each lock.
struct composite {
    enum class state { waiting, held, over };

    std::size_t worker = 0;
    std::variant<core::all_of, core::quorum> value;
    std::vector<std::string> folders;
    std::vector<std::optional<core::contender_id>> parts;  // the latest contender of each part
    std::optional<core::time_point> deadline;              // on the client's clock
    bool once = false;
    bool enters_again = true;
    state now = state::waiting;
    std::size_t unanswered = 0;

    [[nodiscard]] bool is_quorum() const { return std::holds_alternative<core::quorum>(value); }
    [[nodiscard]] bool holds(std::size_t part) const {
        return std::visit([part](const auto& entry) { return entry.holds(part); }, value);
    }
};

// Gives composite_judge access to a client's calls for several locks at once (composites).
class composite_holder {
public:
    composite_holder() = default;
    composite_holder(const composite_holder&) = default;
    composite_holder& operator=(const composite_holder&) = default;
    // Returns the composites that the client's callers hold or wait for.
    [[nodiscard]] virtual std::vector<const composite*> composites() const = 0;

protected:
    ~composite_holder() = default;
};

class composite_judge {
public:
    composite_judge(const history& truth, const agenda& future)
        : history_{truth}, agenda_{future} {}

    void add(client_id id, const client_view& client, const composite_holder& party) {
        holders_.push_back({id, &client, &party});
    }

    // ---- notices ----
    [[nodiscard]] instant now() const { return agenda_.now(); }
    // Returns the instant, on the client's clock, until which the contender's guard is valid.
    [[nodiscard]] core::time_point valid_until(client_id client, core::contender_id which) const;
    // Returns true if the guard of one of the composite's locks is valid. `part` is the lock's index.
    [[nodiscard]] bool part_valid(client_id client, const composite& composite,
                                  std::size_t part) const;
    // Returns true if the guard of a call for several locks (a composite), which was just granted, is valid.
    [[nodiscard]] bool valid(client_id client, const composite& composite) const;
    void on_granted(client_id client, const composite& composite);
    // Called when the call for several locks has ended, and the client has an answer for each of its contenders.
    void on_over(client_id client, const composite& composite);
    // Called when the holder wants to write to the shared resource. If its guard is valid, judges the write's tokens.
    void on_write(client_id client, const composite& composite);

    void after_event();

private:
    struct holder {
        client_id id = 0;
        const client_view* client = nullptr;
        const composite_holder* state = nullptr;
    };
    [[nodiscard]] const contender_record* record(client_id client, const composite& composite,
                                                 std::size_t part) const;
    [[nodiscard]] bool forced(client_id client, const composite& composite) const;
    [[nodiscard]] std::size_t count_valid(client_id client, const composite& composite) const;
    [[nodiscard]] const client_view& view(client_id client) const;
    void judge_loss(const holder& party, const composite& composite);
    void judge_deadline(const holder& party, const composite& composite) const;

    const history& history_;
    const agenda& agenda_;
    std::vector<holder> holders_;
    std::map<const composite*, instant> incomplete_since_;
    fencing_vector seen_;  // largest vector of tokens in a write
};

}  // namespace turnstile::simulation
