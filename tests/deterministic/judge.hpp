// SPDX-License-Identifier: Apache-2.0
// judge: checks the locks and leaders of a run, from outside of all processes.
//
// Thread safety: a run executes one thread at a time. A call of a guard's function may switch to another thread, so the
// judge keeps its entries alive during this call.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "schedule/run.hpp"
#include "schedule/scheduler.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile::deterministic_tests {

// Checks that at most `most` processes hold a lock, or lead, at the same time.
class judge {
    struct entry {
        std::uint16_t process = schedule::scheduler::of_this_thread()->process();
        std::function<bool()> valid;
        int questions = 0;
        bool over = false;
    };

public:
    enum class tokens { grow, may_repeat, any };
    explicit judge(std::string name, std::size_t most = 1, tokens rule = tokens::grow)
        : name_{std::move(name)}, most_{most}, rule_{most > 1 ? tokens::any : rule} {}

    // A hold of the caller. The caller counts as a holder while `valid` returns true, by the clock of the caller's
    // process. The object must be destroyed before the guard that `valid` uses.
    class stay {
    public:
        stay(judge& of, std::function<bool()> valid, fencing_token token)
            : judge_{of}, own_{of.enter(std::move(valid), token)} {}
        ~stay() {
            own_->over = true;
            while (own_->questions != 0) std::this_thread::yield();
            std::erase(judge_.inside_, own_);
        }
        stay(const stay&) = delete;
        stay& operator=(const stay&) = delete;

    private:
        judge& judge_;
        const std::shared_ptr<entry> own_;
    };

    // Checks that the caller's hold overlaps with no hold that `others` knows of. `valid` returns true while the
    // caller's hold is valid.
    void apart_from(const judge& others, const std::function<bool()>& valid) const {
        if (others.count_valid() != 0 && valid())
            schedule::violated(fmt::format("{} beside {}", name_, others.name_));
    }
    [[nodiscard]] std::size_t grants() const noexcept { return grants_; }

private:
    [[nodiscard]] static bool is_valid(entry& asked) {
        if (asked.over) return false;
        auto& run = *schedule::scheduler::of_this_thread();
        const auto own = run.process();
        ++asked.questions;
        run.become(asked.process);
        const bool answer = asked.valid();
        run.become(own);
        --asked.questions;
        return answer && !asked.over;
    }
    [[nodiscard]] std::size_t count_valid() const {
        const auto all = inside_;
        return static_cast<std::size_t>(std::count_if(
            all.begin(), all.end(), [](const auto& each) { return is_valid(*each); }));
    }
    std::shared_ptr<entry> enter(std::function<bool()> valid, fencing_token token) {
        ++grants_;
        const auto others = count_valid();
        if (others >= most_ && valid())
            schedule::violated(
                fmt::format("{}: {} valid beside token {}", name_, others, token.to_string()));
        const bool old = rule_ == tokens::grow ? token <= latest_ : token < latest_;
        if (old && rule_ != tokens::any && valid())
            schedule::violated(fmt::format("{}: token {} after {}", name_, token.to_string(),
                                           latest_.to_string()));
        latest_ = std::max(latest_, token);
        inside_.push_back(std::make_shared<entry>());
        inside_.back()->valid = std::move(valid);
        return inside_.back();
    }

    const std::string name_;
    const std::size_t most_;
    const tokens rule_;
    std::size_t grants_ = 0;
    fencing_token latest_{};
    std::vector<std::shared_ptr<entry>> inside_;
};

}  // namespace turnstile::deterministic_tests
