/* SPDX-License-Identifier: MIT */
#include "runtime/job/bootstrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/meeting.h"

long uat_launched_count(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : 0;
}

/* A PMIx launcher counts first: uatrun takes its variables out of the environment of its own workers. */
enum uat_launched uat_launched(void)
{
    if (getenv("PMIX_RANK") && getenv("PMIX_NAMESPACE"))
        return UAT_LAUNCHED_PMIX;
    return getenv(UAT_MEETING_RANK) && getenv(UAT_MEETING_VARIABLE) ? UAT_LAUNCHED_UATRUN : UAT_LAUNCHED_ALONE;
}

const char *uat_launched_job(void)
{
    return getenv(uat_launched() == UAT_LAUNCHED_PMIX ? "PMIX_NAMESPACE" : UAT_MEETING_VARIABLE);
}

/*
 * Find the name of the launcher: the program that owns the PMIx server. Environment variables alone cannot identify it:
 * an outer launcher, such as the Slurm step around an mpirun, may have set them.
 */
const char *uat_launched_by(const char *space)
{
    static const struct {
        const char *prefix, *launcher;
    } spaces[] = {{"slurm.pmix.", "srun"}, {"uatrun", "uatrun"}, {"prterun", "prterun"}, {"prte", "prterun"}};
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        return "mpirun"; /* Open MPI 5's mpirun is prterun under another name */
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
        if (strncmp(space, spaces[i].prefix, strlen(spaces[i].prefix)) == 0)
            return spaces[i].launcher;
    return "an unknown PMIx launcher";
}

/*
 * A launcher without PMIx silently starts N jobs of one worker. A batch script that forgets its launcher starts one
 * such job. Detect that and report the right command. A worker is fine if its launcher, such as `uatrun -n 1`, says
 * that the worker is alone.
 */
int uat_launched_alone(void)
{
    static const struct {
        const char *variable, *advice;
    } launchers[] = {
        {"OMPI_COMM_WORLD_SIZE", "this mpirun offers no PMIx that uat understands; use srun --mpi=pmix or uatrun"},
        {"SLURM_STEP_NUM_TASKS", "srun was not told to offer PMIx; type: srun --mpi=pmix ..."},
        {"PMI_SIZE", "its launcher speaks no PMIx; use srun --mpi=pmix, uatrun or the mpirun of Open MPI"},
        {"SLURM_NTASKS", "in a Slurm allocation type: srun --mpi=pmix ... (with -n 1 if one worker is what you want)"},
    };
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        /* a step takes precedence over the allocation around it */
        if (strcmp(launchers[i].variable, "SLURM_NTASKS") == 0 && getenv("SLURM_STEP_NUM_TASKS"))
            continue;
        long n = uat_launched_count(launchers[i].variable);
        if (n > 1) {
            uat_error("%s says %ld processes, but this one is alone: %s", launchers[i].variable, n,
                      launchers[i].advice);
            return -EINVAL;
        }
    }
    return 0;
}
