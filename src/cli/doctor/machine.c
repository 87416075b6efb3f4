/* Doctor: checks the limit of open files and lists the versions of the libraries. Called by
 * command.c. */
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <uv.h>
#include <yaml.h>

#include <recourse/version.h>

#include "base/str.h"
#include "cli/doctor/doctor.h"
#include "sys/file.h"
#include "sys/probe.h"

/* Number of descriptors needed besides those of requests: store, log, loops, listeners, idle
 * connections to providers. */
#define FILES_RESERVED 256u

void rc_doctor_check_limits(rc_doctor *doctor, const rc_config *config)
{
    uint64_t files = 0;
    const uint64_t connections = config->limits.max_connections;
    const uint64_t in_flight = config->limits.max_in_flight;
    /* Every request in flight also needs a connection to a provider. */
    const uint64_t calls = in_flight < connections ? in_flight : connections;
    const uint64_t needed = connections + calls + FILES_RESERVED;
    const int error = rc_probe_files_max(&files);
    if (error != 0) {
        rc_finding_push(rc_finding_push(rc_doctor_add(doctor, RC_GROUP_LIMITS, RC_FINDING_WARN,
                                                      RC_STR("open files")),
                                        "unknown: "),
                        rc_sys_error_text(error));
        return;
    }
    rc_finding *finding =
        rc_doctor_add(doctor, RC_GROUP_LIMITS, files < needed ? RC_FINDING_WARN : RC_FINDING_FINE,
                      RC_STR("open files"));
    if (files == UINT64_MAX)
        rc_finding_push(finding, "no limit");
    else
        rc_finding_push(rc_finding_push_u64(finding, files), " at most");
    rc_finding_push(finding, "; limits.max_connections and max_in_flight need ");
    rc_finding_push_u64(finding, needed);
    if (files < needed)
        rc_finding_advise(finding, "raise LimitNOFILE= of the service (ulimit -Hn), or lower "
                                   "limits.max_connections");
}

static void add_version(rc_doctor *doctor, const char *subject, const char *version)
{
    rc_finding_push(rc_doctor_add(doctor, RC_GROUP_VERSIONS, RC_FINDING_NOTE, rc_str_c(subject)),
                    version);
}

void rc_doctor_add_versions(rc_doctor *doctor)
{
    add_version(doctor, "recourse", rc_version());
    add_version(doctor, "libuv", uv_version_string());
    add_version(doctor, "OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING));
    add_version(doctor, "SQLite", sqlite3_libversion());
    add_version(doctor, "libyaml", yaml_get_version_string());
}
