// SPDX-License-Identifier: Apache-2.0
#include "failing_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include <unistd.h>

namespace turnstile::tests {

namespace failing_memory {
namespace {

std::atomic<bool> fails{false};
std::atomic<bool> fails_later{false};
std::atomic<std::uint64_t> failing_number{0};
std::atomic<std::uint64_t> count{0};

bool is_refused() noexcept {
    if (!fails.load()) return false;
    const auto number = count.fetch_add(1) + 1;
    return number == failing_number || (fails_later && number > failing_number);
}

}  // namespace

void start(std::uint64_t number, failing how) {
    failing_number = number;
    fails_later = how == failing::that_and_later;
    count = 0;
    fails = true;
}

std::uint64_t stop() {
    fails = false;
    return count.load();
}

}  // namespace failing_memory

void demand(bool condition, const char* rule) {
    if (condition) return;
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, rule, std::strlen(rule));
    written = ::write(STDERR_FILENO, "\n", 1);
    ::_exit(3);
}

namespace {

std::string content_of(int file) {
    std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
    const auto got = ::pread(file, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

[[noreturn]] void be_child(int output, std::chrono::seconds most,
                           const std::function<int()>& function) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_DUMPABLE, 0);  // so that hundreds of aborted children leave no core files
    ::signal(SIGALRM, SIG_DFL);
    ::alarm(static_cast<unsigned>(most.count()));
    ::dup2(output, STDERR_FILENO);
    ::_exit(function());
}

}  // namespace

child_end run_in_child(std::chrono::seconds most, const std::function<int()>& function) {
    const int output = ::memfd_create("standard error", MFD_CLOEXEC);
    // Without O_APPEND, two threads that write at the same time would overwrite each other's text.
    ::fcntl(output, F_SETFL, O_APPEND);
    const pid_t child = ::fork();
    if (output < 0 || child < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (child == 0) be_child(output, most, function);
    child_end end;
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
    end.said = content_of(output);
    ::close(output);
    return end;
}

}  // namespace turnstile::tests

// ---- replacements of operator new for the whole program -------------------------------------

namespace {

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    if (turnstile::tests::failing_memory::is_refused()) return nullptr;
    if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    if (auto* const room = allocate(size, alignment)) return room;
    throw std::bad_alloc{};
}

}  // namespace

// The standard library's other forms of operator new without an alignment call the next two forms.
void* operator new(std::size_t size) {
    return allocate_or_throw(size, 0);
}
void* operator new(std::size_t size, const std::nothrow_t& /*form*/) noexcept {
    return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* room) noexcept {
    std::free(room);
}
void operator delete(void* room, std::size_t /*size*/) noexcept {
    std::free(room);
}
void operator delete(void* room, std::align_val_t /*alignment*/) noexcept {
    std::free(room);
}
void operator delete(void* room, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    std::free(room);
}
