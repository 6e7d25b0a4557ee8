// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "sql/database.hpp"
#include "support/descriptor.hpp"

namespace turnstile::sql {
namespace {

constexpr mode_t k_for_owner = 0600;

struct file_system_kind {
    unsigned magic;  // statfs(2), f_type
    std::string_view name;
};
// File systems that several hosts may use at the same time. Each host has its own boot clock and its own POSIX locks.
// FUSE is in the list, because statfs() does not say which kind of file system FUSE serves (for example sshfs).
constexpr std::array<file_system_kind, 17> k_shared_file_systems{{
    {0x6969U, "NFS"},
    {0x517BU, "SMB"},
    {0xFF534D42U, "CIFS"},
    {0xFE534D42U, "SMB2"},
    {0x01021997U, "9p"},
    {0x65735546U, "FUSE"},
    {0x00C36400U, "Ceph"},
    {0x5346414FU, "OpenAFS"},
    {0x6B414653U, "AFS"},
    {0x73757245U, "Coda"},
    {0x7461636FU, "OCFS2"},
    {0x01161970U, "GFS2"},
    {0x0BD00BD0U, "Lustre"},
    {0x47504653U, "GPFS"},
    {0x786F4256U, "vboxsf"},
    {0xBACBACBCU, "vmhgfs"},
    {0x19830326U, "BeeGFS"},
}};

[[noreturn]] void refuse(const std::string& path, const std::string& rule) {
    throw database_error{failure::fatal, path, rule};
}

[[noreturn]] void refuse_by_system(const std::string& path) {
    refuse(path, std::generic_category().message(errno));
}

// In most connect strings a chroot follows the server's name, so people write it behind the file's name too.
void refuse_path_below_file(const std::string& path) {
    namespace fs = std::filesystem;
    const fs::path whole{path};
    for (auto above = whole.parent_path(); above != above.parent_path();
         above = above.parent_path()) {
        std::error_code failed;
        if (fs::is_regular_file(above, failed))
            refuse(path, fmt::format("is below the file {0}. If {1} is a chroot, write "
                                     "sqlite:{0}?chroot=/{1}",
                                     above.string(), whole.lexically_relative(above).string()));
    }
}

std::string fault_of_file_system(const std::string& path) {
    const auto folder = std::filesystem::path{path}.parent_path().string();
    struct statfs found {};
    if (::statfs(folder.c_str(), &found) != 0) {
        const int error = errno;
        if (error == ENOTDIR) refuse_path_below_file(path);
        refuse(folder, std::generic_category().message(error));
    }
    const auto kind = std::find_if(
        k_shared_file_systems.begin(), k_shared_file_systems.end(),
        [&](const auto& each) { return each.magic == static_cast<unsigned>(found.f_type); });
    if (kind == k_shared_file_systems.end()) return {};
    return fmt::format(
        "is on a file system that other hosts may see ({}); sqlite: is for the processes of one "
        "host: use a local file system",
        kind->name);
}

struct statx look_at(const std::string& path) {
    struct statx found {};
    if (::statx(AT_FDCWD, path.c_str(), 0, STATX_NLINK | STATX_MODE, &found) != 0)
        refuse_by_system(path);
    return found;
}

std::string fault_of_links(const struct statx& found) {
    if (found.stx_nlink <= 1) return {};
    return fmt::format(
        "has {} names (hard links), each with a separate write-ahead log: two clients could hold "
        "one lock. Keep one name",
        found.stx_nlink);
}

std::string fault_of_mount(const struct statx& found) {
    if ((found.stx_attributes_mask & found.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) return {};
    return "is a mount point (a bind mount of the file alone), and has another name with a "
           "separate write-ahead log: two clients could hold one lock. Mount its folder";
}

// Returns the fault of the last component of the path. SQLite would open a device or a pipe, and then report only an
// "I/O error". For a circle of symbolic links, find_route() would return the folder of the links, so this function
// reports the circle.
std::string fault_of_last_step(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0)
        return errno == ELOOP ? std::generic_category().message(errno) : std::string{};
    if (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) return {};
    return "is no regular file";
}

mode_t rights_of(const struct statx& found) {
    return found.stx_mode & 07777U;
}

// Creates a missing file under another name, closes it, and renames it. Closing a descriptor of the real file would
// release the POSIX locks of this process's other connections.
void make_if_missing(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) == 0 || errno != ENOENT) return;
    std::string fresh = path + "-new-XXXXXX";
    const support::descriptor file{::mkostemp(fresh.data(), O_CLOEXEC)};
    if (!file.open()) {
        // Without this refusal, SQLite would report only that the file does not exist.
        const auto why = std::generic_category().message(errno);
        if (::stat(path.c_str(), &found) != 0) refuse(path, "cannot be created: " + why);
        return;
    }
    ::fchmod(file.get(), k_for_owner);
    if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0)
        ::unlink(fresh.c_str());
}

}  // namespace

void check_clock_offset_is_known() {
    constexpr const char* k_self = "/proc/self";
    if (::access(k_self, X_OK) != 0)
        refuse(k_self,
               "cannot be found. sqlite: needs the /proc of this process's PID namespace, which "
               "has the clock offset of the time namespace; mount /proc");
}

std::string prepare_sqlite_file(const std::string& path) {
    if (const auto fault = fault_of_last_step(path); !fault.empty()) refuse(path, fault);
    const std::string file = find_route(path).file;
    if (const auto fault = fault_of_file_system(file); !fault.empty()) refuse(file, fault);
    make_if_missing(file);
    return file;
}

file_route find_route(const std::string& path) {
    namespace fs = std::filesystem;
    constexpr std::size_t k_most_links = 40;  // the limit in path_resolution(7)
    std::error_code failed;
    const auto whole = fs::absolute(path, failed);
    std::deque<fs::path> rest{whole.begin(), whole.end()};
    file_route route;
    fs::path here;
    for (std::size_t links = 0; !rest.empty() && links <= k_most_links;) {
        const auto step = rest.front();
        rest.pop_front();
        if (step.is_absolute()) here = step;
        if (step == "..") here = here.parent_path();
        if (step.is_absolute() || step == ".." || step == "." || step.empty()) continue;
        const auto folder = here;
        here /= step;
        route.names.push_back(here.string());
        if (!fs::is_symlink(here, failed)) continue;
        const auto target = fs::read_symlink(here, failed);
        rest.insert(rest.begin(), target.begin(), target.end());
        here = folder;
        ++links;
    }
    route.file = here.string();
    return route;
}

bool is_same_file(const std::string& left, const std::string& right) {
    std::error_code failed;
    return std::filesystem::equivalent(left, right, failed) && !failed;
}

mode_t check_single_name(const std::string& path) {
    const auto found = look_at(path);
    for (const auto& fault : {fault_of_links(found), fault_of_mount(found)})
        if (!fault.empty()) refuse(path, fault);
    return rights_of(found);
}

sqlite_file_look look_at_sqlite_file(const std::string& path) {
    sqlite_file_look seen{.file = find_route(path).file};
    const auto add = [&](std::string fault) {
        if (!fault.empty()) seen.refusals.push_back(std::move(fault));
    };
    try {
        if (auto fault = fault_of_last_step(path); !fault.empty()) {
            seen.file = path;
            add(std::move(fault));
            return seen;
        }
        add(fault_of_file_system(seen.file));
        struct stat there {};
        if (::stat(seen.file.c_str(), &there) != 0 && errno == ENOENT) return seen;
        const auto found = look_at(seen.file);
        seen.exists = true;
        add(fault_of_links(found));
        add(fault_of_mount(found));
        seen.danger = danger_of_rights(rights_of(found));
    } catch (const database_error& why) {
        add(why.what());
    }
    return seen;
}

std::string danger_of_rights(mode_t rights) {
    const bool for_all = (rights & 0006U) != 0;
    const bool group_only_reads = (rights & 0060U) == 0040U;
    if (!for_all && !group_only_reads) return {};
    return fmt::format(
        "the file's rights are {:04o}: {} may stop every lock in the file, because a reader of the "
        "shared memory can lock that memory; chmod {} the file, its -wal, its -shm and its "
        "-sessions",
        static_cast<unsigned>(rights), for_all ? "every user" : "its group", for_all ? "o=" : "g=");
}

}  // namespace turnstile::sql
