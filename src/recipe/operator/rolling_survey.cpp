// SPDX-License-Identifier: Apache-2.0
#include "turnstile/tools/rolling_survey.hpp"

#include <algorithm>
#include <utility>

#include "base/path.hpp"
#include "client/internals.hpp"
#include "recipe/lock/lock_queries.hpp"
#include "recipe/operator/survey_turns.hpp"

namespace turnstile {
namespace {

using detail::survey_turns;

// A round may send a limited number of requests. Before the round lists known folders again, it reserves a part of its
// remaining requests for reads: at most a half for contenders that were never read. If there are none, it reserves at
// most an eighth for contenders to read again.
constexpr std::size_t k_part_for_unread = 2;
constexpr std::size_t k_part_for_due = 8;

}  // namespace

class rolling_survey::inside {
public:
    inside(const client& servers, std::string folder, std::size_t most_read)
        : client_{detail::internals::of(servers)},
          folder_{std::move(folder)},
          turns_{folder_, most_read} {}

    result<survey_round> go_on(const round_options& options) {
        if (!client_) return error{errc::closed, "the client object was moved from"};
        if (const auto good = base::validate_path(folder_); !good) return good.error();
        if (options.most_requests == 0)
            return error{errc::bad_option, "most_requests is 0: must be at least 1"};
        limits_ = detail::with_deadline({options.timeout, options.stop});
        left_ = options.most_requests;
        turns_.begin_round(options.first);
        if (const auto asked = ask(); !asked) return asked.error();
        return sum_up(options.most_requests);
    }
    [[nodiscard]] lock_survey survey() const { return turns_.survey(); }

private:
    result<void> ask() {
        if (const auto listed = list_new(); !listed) return listed.error();
        if (!begun_) {
            begun_ = turns_.unlisted_count() == 0;
            return {};
        }
        turns_.choose_depth();
        if (const auto listed = list(turns_.due_folders(left_ - kept_for_reads())); !listed)
            return listed.error();
        if (const auto listed = list_new(); !listed) return listed.error();
        turns_.choose_depth();
        if (const auto got = read(turns_.unread(left_)); !got) return got.error();
        return read(turns_.due_reads(left_));
    }

    [[nodiscard]] std::size_t kept_for_reads() {
        if (const auto unread = turns_.unread_count(); unread != 0)
            return std::min(unread, left_ / k_part_for_unread);
        return std::min(turns_.due_reads_count(), left_ / k_part_for_due);
    }

    // Requests the children of each new folder until no new folder is left, since each answer may show further folders.
    result<void> list_new() {
        while (left_ != 0) {
            const auto folders = turns_.unlisted(left_);
            if (folders.empty()) return {};
            if (const auto listed = list(folders); !listed) return listed.error();
        }
        return {};
    }

    result<void> list(const std::vector<std::string>& folders) {
        const auto now = boottime_clock::now();  // before the requests, so that no age is too small
        auto answers = detail::ask_each(*client_, folders, limits_, [](const std::string& path) {
            return core::children_op{path};
        });
        if (!answers) return answers.error();
        left_ -= folders.size();
        for (std::size_t i = 0; i != folders.size(); ++i) {
            const auto listed = turns_.list(folders[i], std::move((*answers)[i]), now);
            if (!listed) return listed.error();
        }
        return {};
    }

    result<void> read(const std::vector<survey_turns::turn>& turns) {
        std::vector<std::string> paths;
        for (const auto& each : turns) paths.push_back(survey_turns::path_of(each));
        const auto answers = detail::ask_each(
            *client_, paths, limits_, [](const std::string& path) { return core::get_op{path}; });
        if (!answers) return answers.error();
        left_ -= paths.size();
        turns_.read(turns, *answers);
        return {};
    }

    survey_round sum_up(std::size_t allowed) {
        turns_.choose_depth();
        survey_round round;
        round.requests = allowed - left_;
        round.unlisted = turns_.unlisted_count();
        round.unread = turns_.unread_count();
        round.complete = round.unlisted == 0 && round.unread == 0 &&
                         turns_.due_folders(1).empty() && turns_.due_reads(1).empty();
        round.oldest = std::chrono::duration_cast<std::chrono::milliseconds>(
            turns_.oldest(boottime_clock::now()));
        return round;
    }

    const std::shared_ptr<detail::client_impl> client_;
    const std::string folder_;
    survey_turns turns_;
    query_options limits_;
    std::size_t left_ = 0;  // requests that are left in this round
    bool begun_ = false;    // true: every folder was listed at least once
};

rolling_survey::rolling_survey(const client& servers, std::string_view folder,
                               std::size_t most_read)
    : inside_{new inside{servers, std::string{folder}, most_read}} {}

rolling_survey::~rolling_survey() = default;
rolling_survey::rolling_survey(rolling_survey&&) noexcept = default;
rolling_survey& rolling_survey::operator=(rolling_survey&&) noexcept = default;

result<survey_round> rolling_survey::go_on(const round_options& options) {
    if (!inside_) return error{errc::closed, "the survey was moved from"};
    return inside_->go_on(options);
}

lock_survey rolling_survey::survey() const {
    return inside_ ? inside_->survey() : lock_survey{};
}

}  // namespace turnstile
