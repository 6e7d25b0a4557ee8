// SPDX-License-Identifier: Apache-2.0
// A test preloads this library into a program. The library then makes calls of the program fail, as on a host with
// exhausted limits:
//
// | variable               | effect                                                            |
// |------------------------|-------------------------------------------------------------------|
// | TURNSTILE_TEST_THREADS | if it is set, no thread starts                                    |
// | TURNSTILE_TEST_PIDFD   | if it is set, no process descriptor opens                         |
// | TURNSTILE_TEST_MEMORY  | once a file of this name exists, each `new` above 64 bytes throws |
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t k_small = 64;  // so the C++ runtime can still report the failure

bool is_exhausted() noexcept {
    const char* const file = std::getenv("TURNSTILE_TEST_MEMORY");
    return file != nullptr && ::access(file, F_OK) == 0;
}

}  // namespace

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void* operator new(std::size_t size) {
    void* const memory = size > k_small && is_exhausted() ? nullptr : std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc{};
    return memory;
}
EXPORTED void operator delete(void* memory) noexcept {
    std::free(memory);
}
EXPORTED void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

extern "C" EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                       void* (*work)(void*), void* argument) noexcept {
    if (std::getenv("TURNSTILE_TEST_THREADS") != nullptr) return EAGAIN;
    const auto real =
        reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
    return real(thread, attributes, work, argument);
}

extern "C" EXPORTED long syscall(long number, ...) noexcept {
    constexpr int k_arguments = 6;
    long given[k_arguments] = {};
    std::va_list list;
    va_start(list, number);
    for (long& each : given) each = va_arg(list, long);
    va_end(list);
    if (number == SYS_pidfd_open && std::getenv("TURNSTILE_TEST_PIDFD") != nullptr) {
        errno = EPERM;
        return -1;
    }
    const auto real = reinterpret_cast<decltype(&syscall)>(::dlsym(RTLD_NEXT, "syscall"));
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
