// SPDX-License-Identifier: Apache-2.0
// A test preloads this library into a program. The library then makes calls of the program fail, as on a host with
// exhausted limits:
//
// | variable               | effect                                                            |
// |------------------------|-------------------------------------------------------------------|
// | TURNSTILE_TEST_THREADS | if it is set, no thread starts                                    |
// | TURNSTILE_TEST_MEMORY  | once a file of this name exists, each `new` above 64 bytes throws |
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
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
