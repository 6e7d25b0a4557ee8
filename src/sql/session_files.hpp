// SPDX-License-Identifier: Apache-2.0
// session_files: a folder beside the SQLite file, with one file for each session. The session's process holds an
// operating system lock on the session's file for as long as it lives.
//
// The lock belongs to the open file (F_OFD_SETLK). The kernel releases the lock when the last descriptor of the open
// file is closed. The kernel closes the process's descriptor when the process ends. A guardian (a process that cleans
// up after crashes) has another descriptor, and closes it after the session's process has ended. Under `turnstile run`,
// a keeper process has that descriptor, and kills the command before it closes the descriptor. Other processes test the
// lock without taking it. If the file is missing, the session lives until its deadline.
//
// To wake a session, a process changes the times of the session's file. When a session ends, its process closes the
// file. The kernel reports the change and the close to other processes (sqlite_bell.hpp). It reports a close shortly
// before it releases the lock.
//
// Thread safety: `is_gone` and `ring` from any thread, all other members from one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "guardian/guardian_link.hpp"
#include "support/descriptor.hpp"

namespace turnstile::sql {

class session_files {
public:
    // Creates `folder` if it does not exist. `guardian` may be null. Throws std::system_error.
    session_files(std::filesystem::path folder, mode_t mode,
                  std::shared_ptr<guardian::guardian_link> guardian);
    ~session_files() { release_own(false); }
    session_files(const session_files&) = delete;
    session_files& operator=(const session_files&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
    [[nodiscard]] std::filesystem::path path_of(std::int64_t session) const;

    // Creates and locks the file of this session. Releases the file of an earlier session. Throws std::system_error.
    void make_own(std::int64_t session);
    // Releases the lock of this session's file. If `remove`, first removes the file.
    void release_own(bool remove) noexcept;
    [[nodiscard]] bool has_own(std::int64_t session) const noexcept {
        return file_.open() && own_ == session;
    }

    // True if the session's file exists and no process has the lock: the session's process has ended.
    [[nodiscard]] bool is_gone(std::int64_t session) const;
    // True if the session's file exists and a process has the lock.
    [[nodiscard]] bool is_alive(std::int64_t session) const;
    void ring(std::int64_t session) const;
    // Removes the files of all sessions except the sessions in `living`.
    void remove_others(const std::set<std::int64_t>& living) const noexcept;

private:
    enum class lock { unknown, free, held };
    [[nodiscard]] lock lock_of(std::int64_t session) const;

    const std::filesystem::path folder_;
    const mode_t mode_;
    const std::shared_ptr<guardian::guardian_link> guardian_;
    std::int64_t own_ = 0;
    std::filesystem::path own_path_;
    support::descriptor file_;
    std::uint64_t guardians_copy_ = 0;  // the guardian's number for its descriptor
};

}  // namespace turnstile::sql
