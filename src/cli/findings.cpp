// SPDX-License-Identifier: Apache-2.0
#include "cli/findings.hpp"

#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

#include "cli/duration.hpp"

namespace turnstile::cli {
namespace {

// The network's delay cannot explain a difference larger than this between the servers' clock and this machine's clock.
// If the difference is larger than this, the displayed ages of contenders are wrong.
constexpr std::chrono::milliseconds k_clock_difference{1'000};

std::string percent_text(double part) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f %%", part * 100);
    return text.data();
}

}  // namespace

std::optional<host_clock> read_host_clock() {
    timex state{};
    if (::adjtimex(&state) < 0) return std::nullopt;
    // In the kernel's answer to adjtimex(), `freq` is in parts per million, with 16 fractional bits. `tick` also
    // changes the rate of the clock: its nominal value is a second divided by the number of ticks per second.
    constexpr double k_part_per_million = 65'536.0 * 1e6;
    constexpr double k_second_us = 1e6;
    const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double slewed = static_cast<double>(state.tick) * ticks_per_second / k_second_us - 1;
    return host_clock{.synchronised = (state.status & STA_UNSYNC) == 0,
                      .rate = static_cast<double>(state.freq) / k_part_per_million + slewed};
}

findings clock_findings(const examination& seen) {
    findings found;
    if (seen.trial && seen.trial->clock) {
        const auto& clock = *seen.trial->clock;
        const std::chrono::milliseconds apart{std::abs(clock.ahead.count())};
        if (apart - clock.uncertainty > k_clock_difference)
            found.push_back({severity::warning, "clocks_differ", "this host",
                             "its wall clock is " + exact_text(apart) +
                                 (clock.ahead.count() > 0 ? " behind" : " ahead of") +
                                 (is_zookeeper(seen.settings) ? " that of the servers' leader"
                                                              : " that of the servers") +
                                 ": times of this host and of the servers cannot be compared; "
                                 "ages in queues and holds are not affected",
                             "run a time daemon (chrony) here and on the servers"});
    }
    if (!seen.clock) return found;
    if (!seen.clock->synchronised)
        found.push_back(
            {severity::note, "clock_not_synchronised", "this host",
             "its kernel reports that no time daemon synchronizes the clock",
             "run a time daemon (chrony) here, or on the host of this virtual machine"});
    const auto allowed = lease_settings{}.clock_drift;
    if (std::abs(seen.clock->rate) > allowed)
        found.push_back({severity::problem, "clock_rate", "this host",
                         "its clock is slewed by " + percent_text(seen.clock->rate) +
                             ": more than the " + percent_text(allowed) + " that leases allow for",
                         "limit the time daemon's slew rate (chrony: maxslewrate 500)"});
    return found;
}

namespace {

// Splits a znode's path into folder and name: "/locks/a" and "_c_...".
std::pair<std::string, std::string> split(const std::string& znode) {
    const auto slash = znode.rfind('/');
    return {slash == 0 ? "/" : znode.substr(0, slash), znode.substr(slash + 1)};
}

finding of_znode(const odd_znode& odd) {
    if (odd.kind == oddity::foreign_child)
        return {
            severity::warning, to_string(odd.kind), odd.path,
            "a znode that is no contender, in a lock's folder: Turnstile ignores the znode, but "
            "clients of Curator and of Go may wait for it",
            "delete the znode if nothing needs it, and keep other data out of locks' folders"};
    const auto [folder, name] = split(odd.path);
    return {severity::problem, to_string(odd.kind), odd.path,
            "a contender that belongs to no session: the waiters behind it wait for ever",
            "if the program that created it is gone: turnstile take --now --znode " + name +
                " --reason TEXT " + folder};
}

// `locks` lists each kind of contender at a path as a separate lock. The locks of one path follow each other.
void look_at_kinds(const std::vector<surveyed_lock>& locks, findings& found) {
    for (auto first = locks.begin(); first != locks.end();) {
        const auto last = std::find_if(first, locks.end(),
                                       [&](const auto& lock) { return lock.path != first->path; });
        std::string kinds;
        for (const auto& lock : std::span{first, last})
            kinds += (kinds.empty() ? "" : ", ") + std::string{to_string(lock.kind)};
        if (last - first > 1)
            found.push_back(
                {severity::warning, "kinds_mixed", first->path,
                 "contenders of several kinds of locks share this path (" + kinds +
                     "): locks of different kinds do not exclude each other",
                 "let all programs use one kind of lock at this path (turnstile run takes a "
                 "mutex; with --shared or --exclusive, a shared_mutex), or give each kind a "
                 "separate path"});
        first = last;
    }
}

void look_at_trial(const path_trial& trial, findings& found) {
    for (const auto right : trial.refused)
        found.push_back(
            {severity::problem, std::string{"no_right_to_"} + to_string(right), trial.folder,
             std::string{"locks "} + to_string(right) +
                 " znodes in this folder, but an ACL forbids this client to do so",
             "give --credentials-file, or let the owner change the ACL of " + trial.folder});
    if (!trial.containers)
        found.push_back({severity::warning, "no_containers", trial.folder,
                         "the servers have no container znodes: folders of free locks remain",
                         "upgrade the servers to 3.5 or later, or delete such folders"});
    if (!trial.left.empty())
        found.push_back({severity::warning, "trial_left", trial.left,
                         "the doctor could not remove this znode of its trial",
                         "delete the znode"});
}

findings path_findings(const examination& seen) {
    findings found;
    if (seen.trial) look_at_trial(*seen.trial, found);
    if (!seen.no_trial.empty())
        found.push_back({severity::problem, "no_trial", seen.path,
                         "the doctor could not test the rights that locks need: " + seen.no_trial,
                         "fix the cause, and run the doctor again"});
    if (!seen.no_survey.empty())
        found.push_back({severity::warning, "no_survey", seen.path,
                         "the doctor could not read the znodes below this path: " + seen.no_survey,
                         "fix the cause, or name a folder further down"});
    look_at_kinds(seen.locks, found);
    if (!seen.odd) return found;
    for (const auto& odd : seen.odd->found)
        if (odd.kind != oddity::empty_folder) found.push_back(of_znode(odd));
    for (const auto& folder : seen.odd->unreadable)
        found.push_back(
            {severity::note, "unreadable", folder,
             "an ACL forbids this client to list the folder, so its locks are not examined",
             "to examine them, give the --credentials-file of a user that may list the folder"});
    return found;
}

findings file_findings(const examination& seen) {
    findings found;
    if (!seen.file) return found;
    for (const auto& why : seen.file->refusals)
        found.push_back({severity::problem, "file_refused", seen.file->file, why,
                         "give the file one name in a folder on a local file system, and use that "
                         "path everywhere; until then, clients refuse the file"});
    if (!seen.file->exposure.empty())
        found.push_back({severity::warning, "file_exposed", seen.file->file, seen.file->exposure,
                         "set its mode to 0600 for one user, or to 0660 for a group whose users "
                         "all take locks"});
    return found;
}

// Only `turnstile run` and `turnstile elect` need a process guard, which finds and kills all processes of a command.
findings guard_findings(const examination& seen) {
    if (seen.no_guard.empty()) return {};
    return {
        {severity::note, "no_guard", "this host",
         "turnstile run and turnstile elect cannot start a command on this host: " + seen.no_guard,
         "mount /proc in this PID namespace, or make this process's control group writable"}};
}

findings module_findings(const examination& seen) {
    findings found;
    for (const auto& module : seen.modules)
        if (module.present && !module.fault.empty())
            found.push_back({severity::warning, "module_unusable", module.file, module.fault,
                             "install the package libturnstile-" + module.name +
                                 ", in the same version as the library"});
    return found;
}

}  // namespace

std::vector<std::string> empty_folders(const examination& seen) {
    std::vector<std::string> folders;
    if (!seen.odd) return folders;
    for (const auto& odd : seen.odd->found)
        if (odd.kind == oddity::empty_folder && (!seen.trial || odd.path != seen.trial->folder))
            folders.push_back(odd.path);
    return folders;
}

findings all_findings(const examination& seen) {
    findings all;
    for (const auto& part :
         {server_findings(seen), lease_findings(seen), file_findings(seen), path_findings(seen),
          clock_findings(seen), guard_findings(seen), module_findings(seen)})
        all.insert(all.end(), part.begin(), part.end());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::pair{a.weight, a.code} < std::pair{b.weight, b.code};
    });
    return all;
}

}  // namespace turnstile::cli
