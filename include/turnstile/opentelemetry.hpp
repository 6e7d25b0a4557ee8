// SPDX-License-Identifier: Apache-2.0
// opentelemetry_observer: records the calls for locks as metrics of OpenTelemetry C++.
//
// The observer gets a meter from the program, and records each call when it happens:
//
//     const auto meter = opentelemetry::metrics::Provider::GetMeterProvider()->GetMeter("turnstile");
//     const auto numbers = turnstile::metrics::start({.observer = turnstile::opentelemetry_observer{meter}});
//     turnstile::client servers{"zk1:2181,zk2:2181,zk3:2181", {.metrics = numbers}};
//
// | instrument                | kind          | unit      | attributes                                    |
// |---------------------------|---------------|-----------|-----------------------------------------------|
// | turnstile.lock.wait_time  | histogram     | s         | turnstile.lock; error.type of a refused call  |
// | turnstile.lock.hold_time  | histogram     | s         | turnstile.lock; error.type of a lost hold     |
// | turnstile.lock.pending    | UpDownCounter | {call}    | turnstile.lock                                |
// | turnstile.lock.held       | UpDownCounter | {hold}    | turnstile.lock                                |
//
// OpenTelemetry has no semantic conventions for locks. The names are like the names for connection pools
// (db.client.connection.wait_time). `error.type` is OpenTelemetry's general attribute; its value is name_of() of the
// error.
//
// This header needs the API of OpenTelemetry C++ 1.x (only headers), which Debian 12 does not have.
//
// Thread safety: copies share the instruments; any thread may call the observer.
#pragma once

#include "turnstile/language.hpp"

#include <chrono>
#include <cstdint>
#include <memory>

#include <opentelemetry/context/context.h>
#include <opentelemetry/metrics/meter.h>
#include <opentelemetry/metrics/sync_instruments.h>
#include <opentelemetry/nostd/shared_ptr.h>
#include <opentelemetry/nostd/string_view.h>

#include "turnstile/metrics.hpp"

namespace turnstile {

// A function for metrics_options::observer.
class opentelemetry_observer {
public:
    // Makes the instruments. `meter` must not be null.
    explicit opentelemetry_observer(
        const ::opentelemetry::nostd::shared_ptr<::opentelemetry::metrics::Meter>& meter)
        : shared_{std::make_shared<const instruments>(*meter)} {}

    // Adds the event to the instruments.
    void operator()(const lock_event& event) const {
        switch (event.kind) {
            case lock_event_kind::waits: return add(*shared_->pending, 1, event);
            case lock_event_kind::granted:
            case lock_event_kind::refused:
                add(*shared_->pending, -1, event);
                record(*shared_->waits, event);
                if (event.kind == lock_event_kind::granted) add(*shared_->held, 1, event);
                return;
            case lock_event_kind::released:
            case lock_event_kind::lost:
                add(*shared_->held, -1, event);
                record(*shared_->holds, event);
        }
    }

private:
    using spans = ::opentelemetry::metrics::Histogram<double>;
    using level = ::opentelemetry::metrics::UpDownCounter<std::int64_t>;

    struct instruments {
        explicit instruments(::opentelemetry::metrics::Meter& meter)
            : waits{meter.CreateDoubleHistogram("turnstile.lock.wait_time",
                                                "Time from the call to its result.", "s")},
              holds{meter.CreateDoubleHistogram("turnstile.lock.hold_time",
                                                "Time from the grant to the release or the loss.",
                                                "s")},
              pending{meter.CreateInt64UpDownCounter("turnstile.lock.pending", "Calls that wait.",
                                                     "{call}")},
              held{meter.CreateInt64UpDownCounter("turnstile.lock.held", "Present holds.",
                                                  "{hold}")} {}
        ::opentelemetry::nostd::unique_ptr<spans> waits;
        ::opentelemetry::nostd::unique_ptr<spans> holds;
        ::opentelemetry::nostd::unique_ptr<level> pending;
        ::opentelemetry::nostd::unique_ptr<level> held;
    };

    static ::opentelemetry::nostd::string_view text(std::string_view from) {
        return {from.data(), from.size()};
    }
    static void add(level& to, std::int64_t value, const lock_event& event) {
        to.Add(value, {{"turnstile.lock", text(event.series)}});
    }
    static void record(spans& to, const lock_event& event) {
        const double seconds = std::chrono::duration<double>{event.span}.count();
        const ::opentelemetry::context::Context context;
        if (!event.why)
            return to.Record(seconds, {{"turnstile.lock", text(event.series)}}, context);
        to.Record(
            seconds,
            {{"turnstile.lock", text(event.series)}, {"error.type", text(name_of(*event.why))}},
            context);
    }

    std::shared_ptr<const instruments> shared_;
};

}  // namespace turnstile
