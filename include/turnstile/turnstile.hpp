// All of Turnstile's public interface but the testing kit.
#pragma once

#include "turnstile/acquire_options.hpp"
#include "turnstile/client.hpp"
#include "turnstile/client_options.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/coroutine.hpp"
#include "turnstile/deadlock_detector.hpp"
#include "turnstile/error.hpp"
#include "turnstile/fencing_token.hpp"
#include "turnstile/guard.hpp"
#include "turnstile/lock_status.hpp"
#include "turnstile/log.hpp"
#include "turnstile/mutex.hpp"
#include "turnstile/path_template.hpp"
#include "turnstile/result.hpp"
#include "turnstile/session_state.hpp"
