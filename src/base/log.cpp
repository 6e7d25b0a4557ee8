#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

#include "base/mutex.hpp"

namespace turnstile {
namespace {

spdlog::level::level_enum to_spdlog(log_level level) noexcept {
    switch (level) {
        case log_level::trace: return spdlog::level::trace;
        case log_level::debug: return spdlog::level::debug;
        case log_level::info: return spdlog::level::info;
        case log_level::warning: return spdlog::level::warn;
        case log_level::error: return spdlog::level::err;
        case log_level::off: break;
    }
    return spdlog::level::off;
}

// A logger "turnstile" that the application registered with spdlog is used, else one of our own.
void write_to_spdlog(log_level level, std::string_view line) {
    static const auto own = [] {
        auto made = std::make_shared<spdlog::logger>(
            "turnstile", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_level(spdlog::level::trace);  // the level was checked before
        return made;
    }();
    const auto registered = spdlog::get("turnstile");
    (registered ? registered : own)
        ->log(to_spdlog(level), spdlog::string_view_t{line.data(), line.size()});
}

struct sink_state {
    std::atomic<log_level> level{log_level::warning};
    base::mutex mutex;  // held while the sink runs: calls are serialised, and a swap waits
    log_sink sink GUARDED_BY(mutex);
};

// Never destroyed: other threads may write while the process exits.
sink_state& state() {
    static sink_state& only = *new sink_state;
    return only;
}

thread_local bool inside_sink = false;

}  // namespace

void set_log_sink(log_sink sink) {
    sink_state& s = state();
    {
        const base::scoped_lock lock{s.mutex};
        s.sink.swap(sink);
    }
    // The old sink is destroyed here, without the lock: its destructor is the user's.
}

void set_log_level(log_level level) {
    state().level.store(level, std::memory_order_relaxed);
}

namespace log {

bool enabled(log_level level) noexcept {
    return level != log_level::off && level >= state().level.load(std::memory_order_relaxed);
}

void write_line(log_level level, std::string_view line) noexcept {
    if (!enabled(level) || inside_sink) return;
    sink_state& s = state();
    const base::scoped_lock lock{s.mutex};
    inside_sink = true;
    try {
        s.sink ? s.sink(level, line) : write_to_spdlog(level, line);
    } catch (...) {  // what a sink throws is dropped, see turnstile/log.hpp
    }
    inside_sink = false;
}

}  // namespace log
}  // namespace turnstile
