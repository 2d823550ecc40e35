/* SPDX-License-Identifier: MIT */
#include "transport_ibv/order.h"

#include <dlfcn.h>
#include <endian.h>
#include <string.h>

/* Commands of mlx5 devices. Question and answer have a head of 16 bytes. In the answer, the data follow the head. All
 * fields are big endian. */
enum {
    HEAD_BYTES = 16,
    QUERY_HCA_CAP = 0x100,
    GENERAL_CURRENT = 1, /* the current values of the general capabilities */
    CAPABILITY_BYTES = 4096,
    RELAXED_ONLY_WORD = 0x74, /* offset of the word with the capability */
    RELAXED_ONLY = 1 << 22,   /* mkc_order_write_after_write_ro_only */
    LEVELS_WORD = 0x24,
    LEVELS = 1 << 7, /* the port's context has a valid ooo_sl_mask */
    QUERY_HCA_VPORT_CONTEXT = 0x762,
    PORT_BYTE = 9, /* offset of the port's number in the head */
    CONTEXT_BYTES = 508,
    CONTEXT_LEVELS = 0x52 /* offset of the mask in the context */
};

/* A function of libmlx5. If there is an mlx5 device, libibverbs has loaded libmlx5. So uat need not be linked with
 * libmlx5. */
static void *find(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    void *library = function ? NULL : dlopen("libmlx5.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return function;
    function = dlsym(library, name);
    dlclose(library); /* it stays loaded, because libibverbs keeps it open */
    return function;
}

/* Execute a command. Returns false if there is no libmlx5, if the device is not an mlx5 device, or if the device
 * refuses the command. */
static bool ask(struct ibv_context *context, const char *question, char *answer, size_t bytes)
{
    typedef bool is_supported_fn(struct ibv_device *);
    typedef int general_cmd_fn(struct ibv_context *, const void *, size_t, void *, size_t);
    is_supported_fn *is_supported = __extension__(is_supported_fn *) find("mlx5dv_is_supported");
    general_cmd_fn *general_cmd = __extension__(general_cmd_fn *) find("mlx5dv_devx_general_cmd");
    return is_supported && general_cmd && is_supported(context->device) &&
           general_cmd(context, question, HEAD_BYTES, answer, bytes) == 0 && answer[0] == 0;
}

/* Does the device have this general capability? */
static bool is_capable(struct ibv_context *context, size_t word, uint32_t bit)
{
    const char question[HEAD_BYTES] = {[0] = QUERY_HCA_CAP >> 8, [7] = GENERAL_CURRENT};
    char answer[HEAD_BYTES + CAPABILITY_BYTES] = {0};
    uint32_t bits;
    if (!ask(context, question, answer, sizeof(answer)))
        return false;
    memcpy(&bits, answer + HEAD_BYTES + word, sizeof(bits));
    return be32toh(bits) & bit;
}

bool uat_ibv_keys_are_relaxed(struct ibv_context *context)
{
    return is_capable(context, RELAXED_ONLY_WORD, RELAXED_ONLY);
}

uint16_t uat_ibv_unordered_levels(struct ibv_context *context, int port)
{
    const char question[HEAD_BYTES] = {
        [0] = QUERY_HCA_VPORT_CONTEXT >> 8, [1] = QUERY_HCA_VPORT_CONTEXT & 0xff, [PORT_BYTE] = (char)port};
    char answer[HEAD_BYTES + CONTEXT_BYTES] = {0};
    uint16_t levels;
    if (!is_capable(context, LEVELS_WORD, LEVELS) || !ask(context, question, answer, sizeof(answer)))
        return 0;
    memcpy(&levels, answer + HEAD_BYTES + CONTEXT_LEVELS, sizeof(levels));
    return be16toh(levels);
}
