// SPDX-License-Identifier: Apache-2.0
#include "cli/taking.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "admin/reading/lock_json.hpp"
#include "cli/duration.hpp"
#include "cli/survey_text.hpp"
#include "support/visible.hpp"

namespace turnstile::cli {
namespace {

std::optional<contender> contender_called(const std::vector<surveyed_lock>& locks,
                                          const std::string& name) {
    for (const auto& lock : locks)
        for (const auto* part : {&lock.holders, &lock.waiters})
            for (const auto& entry : *part)
                if (entry.name == name) return entry;
    return std::nullopt;
}

}  // namespace

result<std::optional<contender>> chosen_contender(const std::vector<surveyed_lock>& locks,
                                                  const take_options& options) {
    if (!options.znode.empty()) {
        auto found = contender_called(locks, options.znode);
        if (found) return found;
        return error{errc::bad_option,
                     options.path + ": the queue has no contender with the name " + options.znode};
    }
    std::optional<contender> holder;
    for (const auto& lock : locks) {
        for (const auto& entry : lock.holders) {
            if (holder)
                return error{errc::bad_option,
                             options.path +
                                 ": several contenders hold the lock; turnstile show -o wide lists "
                                 "their znodes, and --znode selects one"};
            holder = entry;
        }
    }
    return holder;
}

std::string operator_name() {
    std::array<char, HOST_NAME_MAX + 1> host{};
    ::gethostname(host.data(), host.size() - 1);
    const auto* const user = ::getpwuid(::getuid());
    const std::string name = user != nullptr ? user->pw_name : std::to_string(::getuid());
    return name + "@" + host.data();
}

namespace {

const char* sentence_of(revocation_outcome outcome) {
    switch (outcome) {
        case revocation_outcome::gave_way:
            return "the contender released the lock or left the queue";
        case revocation_outcome::deleted: return "the contender's znode was deleted";
        case revocation_outcome::gone_before:
            return "the contender had left the queue before the order";
    }
    return "";
}

const char* word_of(const take_report& report) {
    if (!report.target) return "free";
    if (!report.outcome) return "asked";
    switch (*report.outcome) {
        case revocation_outcome::gave_way: return "gave_way";
        case revocation_outcome::deleted: return "deleted";
        case revocation_outcome::gone_before: return "gone_before";
    }
    return "";
}

}  // namespace

std::string description_of(const contender& target, std::chrono::system_clock::time_point now) {
    return identity_of(target) + ", in the queue for " + age_of(target, now);
}

std::string plan_text(const take_options& options, const take_report& report) {
    const auto first =
        options.asked_for.count() > 0
            ? "turnstile asks the contender to release, orders it to release after " +
                  exact_text(options.asked_for)
            : std::string{"turnstile orders the contender to release"};
    return first + ", and deletes its znode " + exact_text(report.wait.value()) +
           " after the order; Ctrl-C withdraws the request and the order\n";
}

std::string take_text(const take_options& options, const take_report& report) {
    if (!report.target) return support::visible(options.path) + ": free; no contender holds it\n";
    if (!report.outcome)
        return "asked " + support::visible(description_of(*report.target, report.clock.now())) +
               "\n";
    return std::string{sentence_of(*report.outcome)} + "\n";
}

std::string take_json(const take_options& options, const take_report& report) {
    admin::json result{{"path", options.path},  {"outcome", word_of(report)},
                       {"asked", report.asked}, {"who", options.by},
                       {"why", options.reason}, {"znode", nullptr},
                       {"contender", nullptr},  {"longest_ms", nullptr}};
    if (report.wait) result["longest_ms"] = (options.asked_for + *report.wait).count();
    if (report.target) {
        result["znode"] = report.target->name;
        result["contender"] = admin::json_of(*report.target);
    }
    return admin::printed(result) + '\n';
}

}  // namespace turnstile::cli
