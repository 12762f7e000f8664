/* What node:fs lacks: locks of open file descriptions, and files mapped into the memory of the
** engine. Linux only. Functions return 0 or a positive result, and -errno after a failure. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAX_ARGUMENTS 6

/* The arguments of a call. A missing or wrong one is 0, or no bytes; the functions refuse both. */
typedef struct {
  napi_env env;
  napi_value values[MAX_ARGUMENTS];
} Call;

static Call begin(napi_env env, napi_callback_info info) {
  Call call = {.env = env};
  size_t count = MAX_ARGUMENTS;
  napi_get_cb_info(env, info, &count, call.values, NULL, NULL);
  return call;
}

static int64_t number(const Call *call, int index) {
  int64_t value = -1;
  napi_get_value_int64(call->env, call->values[index], &value);
  return value;
}

static napi_value reply(const Call *call, int64_t value) {
  napi_value result = NULL;
  napi_create_int64(call->env, value, &result);
  return result;
}

static int64_t checked(int64_t result) { return result < 0 ? -errno : result; }

/* `count` bytes of a typed array from `start` on; null if they are outside it. */
static uint8_t *bytes_of(const Call *call, int index, int64_t start, int64_t count) {
  size_t length = 0;
  void *data = NULL;
  napi_typedarray_type type;
  if (napi_get_typedarray_info(call->env, call->values[index], &type, &length, &data, NULL, NULL) !=
      napi_ok) {
    return NULL;
  }
  if (type != napi_uint8_array || !data || start < 0 || count < 0) return NULL;
  if ((uint64_t)start > length || (uint64_t)count > length - (uint64_t)start) return NULL;
  return (uint8_t *)data + start;
}

/* Locks. */

static struct flock range_of(const Call *call) {
  /* The process id must be 0 for locks of an open file description. */
  return (struct flock){.l_type = (short)number(call, 1),
                        .l_whence = SEEK_SET,
                        .l_start = number(call, 2),
                        .l_len = number(call, 3)};
}

/* Descriptor, type, start, length. 1 if the lock is set, 0 if another lock conflicts. */
static napi_value set_lock(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct flock range = range_of(&call);
  if (fcntl((int)number(&call, 0), F_OFD_SETLK, &range) == 0) return reply(&call, 1);
  switch (errno) {
    /* The errors that os_unix.c treats as BUSY. */
    case EACCES:
    case EAGAIN:
    case ETIMEDOUT:
    case EBUSY:
    case EINTR:
    case ENOLCK: return reply(&call, 0);
    default: return reply(&call, -errno);
  }
}

/* Descriptor, type, start, length. The type of a conflicting lock, or that of no lock. */
static napi_value find_lock(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct flock range = range_of(&call);
  int64_t result = checked(fcntl((int)number(&call, 0), F_OFD_GETLK, &range));
  return reply(&call, result < 0 ? result : range.l_type);
}

/* Pages. */

/* Descriptor, memory, start, count, offset. The bytes that were read, less only at the end. */
static napi_value read_at(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int descriptor = (int)number(&call, 0);
  int64_t count = number(&call, 3), offset = number(&call, 4), done = 0;
  uint8_t *bytes = bytes_of(&call, 1, number(&call, 2), count);
  if (!bytes) return reply(&call, -EINVAL);
  while (done < count) {
    ssize_t more = pread(descriptor, bytes + done, (size_t)(count - done), offset + done);
    if (more == 0) break;
    if (more > 0) done += more;
    else if (errno != EINTR) return reply(&call, -errno);
  }
  return reply(&call, done);
}

/* The same for writing. */
static napi_value write_at(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int descriptor = (int)number(&call, 0);
  int64_t count = number(&call, 3), offset = number(&call, 4), done = 0;
  uint8_t *bytes = bytes_of(&call, 1, number(&call, 2), count);
  if (!bytes) return reply(&call, -EINVAL);
  while (done < count) {
    ssize_t more = pwrite(descriptor, bytes + done, (size_t)(count - done), offset + done);
    if (more > 0) done += more;
    else if (more == 0) return reply(&call, -ENOSPC);
    else if (errno != EINTR) return reply(&call, -errno);
  }
  return reply(&call, done);
}

/* `stat` and `fstat` as calls of the kernel: those of a new C library are not in an old one. On 64-bit
** processors its structure is the kernel's. */
static int64_t status_at(const char *path, struct stat *status) {
  return checked(syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}

static int64_t status_of(int descriptor, struct stat *status) {
  return checked(syscall(SYS_fstat, descriptor, status));
}

/* Descriptor. */
static napi_value size_of(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct stat status;
  int64_t result = status_of((int)number(&call, 0), &status);
  return reply(&call, result < 0 ? result : status.st_size);
}

/* A path that ends with a zero byte. The size of the file; a directory counts as one byte. */
static napi_value size_at(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct stat status;
  const uint8_t *path = bytes_of(&call, 0, 0, 1);
  size_t length = 0;
  napi_get_typedarray_info(env, call.values[0], NULL, &length, NULL, NULL, NULL);
  if (!path || !memchr(path, 0, length)) return reply(&call, -EINVAL);
  int64_t result = status_at((const char *)path, &status);
  return reply(&call, result < 0 ? result : S_ISREG(status.st_mode) ? status.st_size : 1);
}

/* Descriptor. */
static napi_value sync_data(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  return reply(&call, checked(fdatasync((int)number(&call, 0))));
}

/* Descriptor, size. */
static napi_value reserve(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  return reply(&call, -posix_fallocate((int)number(&call, 0), 0, number(&call, 1)));
}

/* Shared memory. */

/* File systems on another machine, or in a program, which need not show one program's memory to
** another: see statfs(2). */
static const uint32_t unshared[] = {
    0x01021997, 0x5346414f, 0x00c36400, 0xff534d42, 0x73757245, 0x65735546,
    0x0bd00bd0, 0x00006969, 0x0000517b, 0xfe534d42, 0x786f4256,
};

/* Descriptor. 1 if all programs see the same memory of a mapped file. */
static napi_value can_share(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct statfs status;
  if (fstatfs((int)number(&call, 0), &status) < 0) return reply(&call, 0);
  for (size_t i = 0; i < sizeof(unshared) / sizeof(*unshared); i++) {
    if ((uint32_t)status.f_type == unshared[i]) return reply(&call, 0);
  }
  return reply(&call, 1);
}

/* Memory. The address where it begins: changes show that the engine has moved it. */
static napi_value address(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  return reply(&call, (int64_t)(uintptr_t)bytes_of(&call, 0, 0, 1));
}

/* The whole pages of these bytes, or null. */
static uint8_t *pages_of(const Call *call, int index) {
  int64_t start = number(call, index + 1), count = number(call, index + 2);
  uint8_t *bytes = bytes_of(call, index, start, count);
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  return bytes && count > 0 && (uintptr_t)bytes % page == 0 && (uintptr_t)count % page == 0 ? bytes
                                                                                            : NULL;
}

/* Descriptor, memory, start, count, offset, whether writes reach the file (0 or 1). Maps the file
** over memory, which keeps its address as long as its array buffer exists. A private mapping can be
** written without effect on the file: so the memory stays memory for the engine. */
static napi_value map(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  uint8_t *bytes = pages_of(&call, 1);
  int64_t offset = number(&call, 4);
  int kind = number(&call, 5) == 1 ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;
  if (!bytes || offset < 0) return reply(&call, -EINVAL);
  size_t count = (size_t)number(&call, 3);
  void *mapped =
      mmap(bytes, count, PROT_READ | PROT_WRITE, kind | MAP_FIXED, (int)number(&call, 0), offset);
  if (mapped == MAP_FAILED) return reply(&call, -errno);
  /* The child of a fork would keep the locks of the file. */
  madvise(bytes, count, MADV_DONTFORK);
  return reply(&call, 0);
}

/* Memory, start, count. Replaces a mapped file by fresh memory, all zeros. */
static napi_value unmap(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  uint8_t *bytes = pages_of(&call, 0);
  if (!bytes) return reply(&call, -EINVAL);
  void *mapped = mmap(bytes, (size_t)number(&call, 2), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return reply(&call, mapped == MAP_FAILED ? -errno : 0);
}

/* All earlier writes to shared memory come before all later reads and writes. */
static napi_value barrier(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
  __sync_synchronize();
  return NULL;
}

static napi_value initialize(napi_env env, napi_value exports) {
  static const struct {
    const char *name;
    napi_callback call;
  } functions[] = {
      {"setLock", set_lock},
      {"findLock", find_lock},
      {"readAt", read_at},
      {"writeAt", write_at},
      {"sizeOf", size_of},
      {"sizeAt", size_at},
      {"syncData", sync_data},
      {"reserve", reserve},
      {"canShare", can_share},
      {"address", address},
      {"map", map},
      {"unmap", unmap},
      {"barrier", barrier},
  };
  for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
    napi_value function;
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call, NULL,
                             &function) != napi_ok ||
        napi_set_named_property(env, exports, functions[i].name, function) != napi_ok) {
      return NULL;
    }
  }
  return exports;
}

NAPI_MODULE(system, initialize)
