// SPDX-License-Identifier: Apache-2.0
#include "sql/session_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace turnstile::sql {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw std::system_error{errno, std::generic_category(), path.string()};
}

struct flock whole_file() noexcept {
    struct flock all {};
    all.l_type = F_WRLCK;
    all.l_whence = SEEK_SET;
    return all;
}

// Returns the folder's mode: a user with the right to read the database file may also search the folder.
mode_t folder_mode(mode_t file) noexcept {
    return file | ((file & 0444U) >> 2U);
}

}  // namespace

session_files::session_files(std::filesystem::path folder, mode_t mode,
                             std::shared_ptr<guardian::guardian_link> guardian)
    : folder_{std::move(folder)}, mode_{mode & 0666U}, guardian_{std::move(guardian)} {
    if (::mkdir(folder_.c_str(), folder_mode(mode_)) == 0) {
        if (::chmod(folder_.c_str(), folder_mode(mode_)) != 0) fail(folder_);
    } else if (errno != EEXIST) {
        fail(folder_);
    }
}

std::filesystem::path session_files::path_of(std::int64_t session) const {
    return folder_ / std::to_string(session);
}

void session_files::make_own(std::int64_t session) {
    release_own(true);
    std::filesystem::path path = path_of(session);
    support::descriptor file{
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode_)};
    if (!file.open()) fail(path);
    struct flock all = whole_file();
    // Every user of the database file must be able to change this file's times, to wake the session, whatever the umask
    // is.
    if (::fchmod(file.get(), mode_) != 0 || ::fcntl(file.get(), F_OFD_SETLK, &all) != 0) fail(path);
    own_ = session;
    own_path_ = std::move(path);
    file_ = std::move(file);
    if (guardian_) guardians_copy_ = guardian_->keep_open(file_.get());
}

// Removes the file before it closes the descriptor: to other processes, a closed file that still exists means that its
// process has died.
void session_files::release_own(bool remove) noexcept {
    if (!file_.open()) return;
    if (remove) ::unlink(own_path_.c_str());
    if (guardian_) guardian_->tell(guardian::let_go{guardians_copy_});
    file_.reset();
}

bool session_files::is_gone(std::int64_t session) const {
    return lock_of(session) == lock::free;
}

bool session_files::is_alive(std::int64_t session) const {
    return lock_of(session) == lock::held;
}

session_files::lock session_files::lock_of(std::int64_t session) const {
    const support::descriptor file{
        ::open(path_of(session).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (!file.open()) return lock::unknown;
    struct flock asked = whole_file();
    if (::fcntl(file.get(), F_OFD_GETLK, &asked) != 0) return lock::unknown;
    return asked.l_type == F_UNLCK ? lock::free : lock::held;
}

void session_files::ring(std::int64_t session) const {
    ::utimensat(AT_FDCWD, path_of(session).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

// Uses readdir(), because std::filesystem's iterators end the process if memory is exhausted.
void session_files::remove_others(const std::set<std::int64_t>& living) const noexcept {
    const std::unique_ptr<DIR, int (*)(DIR*)> all{::opendir(folder_.c_str()), &::closedir};
    if (!all) return;
    while (const dirent* const entry = ::readdir(all.get())) {
        const std::string_view name = entry->d_name;
        std::int64_t session = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), session);
        if (wrong != std::errc{} || end != name.data() + name.size()) continue;
        if (!living.contains(session)) ::unlinkat(::dirfd(all.get()), entry->d_name, 0);
    }
}

}  // namespace turnstile::sql
