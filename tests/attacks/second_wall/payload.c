/* Native code that an attacker has planted: it tries what no component may do,
 * each action in a new process, and writes `NAME: succeeded` or
 * `NAME: refused` to the file `results` in the working directory.
 *
 * The test prepares:
 *   ./tiny              a static program that exits with 42
 *   ./victim            the id of another process of the same user, in decimal
 *   ./mine              a file
 *   ./mount/            an empty directory
 *   ../outside/         a directory outside the grants, with `secret` and more
 *   ./only              if it exists: the name of the one action to try, in the
 *                       process itself
 *
 * No library, no writable data: the code is in memory that is only read.
 */
#include <stddef.h>
#include <stdint.h>
#include <linux/fcntl.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>

typedef long word;

static word call6(word n, word a, word b, word c, word d, word e, word f) {
  word result;
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;
  register word r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
#define CALL(n, a, b, c, d, e) \
  call6(SYS_##n, (word)(a), (word)(b), (word)(c), (word)(d), (word)(e), 0)

void *memset(void *to, int byte, size_t count) {
  for (volatile char *p = to; count--; p++) *p = (char)byte;
  return to;
}
void *memcpy(void *to, const void *from, size_t count) {
  volatile char *t = to;
  for (const char *f = from; count--;) *t++ = *f++;
  return to;
}
static size_t length(const char *text) {
  size_t count = 0;
  while (text[count]) count++;
  return count;
}
static int equal(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static int open_file(const char *path, int flags, int mode) {
  return (int)CALL(openat, AT_FDCWD, path, flags, mode, 0);
}
static word read_file(const char *path, char *buffer, size_t size) {
  int file = open_file(path, 0, 0);
  if (file < 0) return file;
  word count = CALL(read, file, buffer, size - 1, 0, 0);
  CALL(close, file, 0, 0, 0, 0);
  buffer[count < 0 ? 0 : count] = 0;
  return count;
}
static int reads(const char *path) {
  char buffer[64];
  return read_file(path, buffer, sizeof buffer) > 0;
}
static int victim(void) {
  char text[32];
  int id = 0;
  if (read_file("victim", text, sizeof text) <= 0) return -1;
  for (char *p = text; *p >= '0' && *p <= '9'; p++) id = 10 * id + *p - '0';
  return id;
}
/* `/proc/VICTIM/NAME` */
static void of_victim(const char *name, char *path) {
  char digits[12];
  int count = 0;
  memcpy(path, "/proc/", 6);
  path += 6;
  for (int id = victim(); id > 0; id /= 10) digits[count++] = (char)('0' + id % 10);
  while (count) *path++ = digits[--count];
  memcpy(path, name, length(name) + 1);
}

/* What a started program says by exiting with 42. */
static int starts(const char *path, const char *a, const char *b, const char *c) {
  int status = 0;
  word child = CALL(fork, 0, 0, 0, 0, 0);
  if (child == 0) {
    const char *words[] = {path, a, b, c, 0};
    const char *environment[] = {0};
    CALL(execve, path, words, environment, 0, 0);
    CALL(exit_group, 1, 0, 0, 0, 0);
  }
  CALL(wait4, child, &status, 0, 0, 0);
  return status == 42 << 8;
}
static int copies(int from, int to) {
  char buffer[4096];
  word count;
  while ((count = CALL(read, from, buffer, sizeof buffer, 0, 0)) > 0)
    if (CALL(write, to, buffer, count, 0, 0) != count) return 0;
  return 1;
}
static int tiny_in_memory(void) {
  int file = (int)CALL(memfd_create, "x", 0, 0, 0, 0);
  return file >= 0 && copies(open_file("tiny", 0, 0), file) ? file : -1;
}

static int shell(void) { return starts("/bin/sh", "-c", "exit 42", 0); }
static int shell_by_loader(void) {
  return starts("/lib64/ld-linux-x86-64.so.2", "/bin/sh", "-c", "exit 42");
}
static int other_program(void) { return starts("/usr/bin/env", "/bin/sh", "-c", "exit 42"); }
static int written_program(void) {
  int to = open_file("planted", O_CREAT | O_WRONLY | O_TRUNC, 0755);
  int copied = to >= 0 && copies(open_file("tiny", 0, 0), to);
  CALL(close, to, 0, 0, 0, 0);
  return copied && starts("./planted", 0, 0, 0);
}
static int program_in_memory(void) {
  const char *none[] = {"x", 0};
  int status = 0, file = tiny_in_memory();
  word child = CALL(fork, 0, 0, 0, 0, 0);
  if (child == 0) {
    call6(SYS_execveat, file, (word) "", (word)none, (word)(none + 1), AT_EMPTY_PATH, 0);
    CALL(exit_group, 1, 0, 0, 0, 0);
  }
  CALL(wait4, child, &status, 0, 0, 0);
  return status == 42 << 8;
}
static int program_in_memory_by_name(void) {
  char path[] = "/proc/self/fd/0";
  CALL(dup2, tiny_in_memory(), 0, 0, 0, 0);
  return starts(path, 0, 0, 0);
}

static int read_outside(void) { return reads("../outside/secret"); }
static int read_key(void) { return reads("../outside/.ssh/id_ed25519"); }
static int read_by_link(void) {
  CALL(symlinkat, "../outside/secret", AT_FDCWD, "link", 0, 0);
  return reads("link");
}
static int read_by_proc(void) { return reads("/proc/self/cwd/../outside/secret"); }
static int read_users(void) { return reads("/etc/passwd"); }
static int list_outside(void) {
  char buffer[512];
  int directory = open_file("../outside", O_DIRECTORY, 0);
  return directory >= 0 && CALL(getdents64, directory, buffer, sizeof buffer, 0, 0) > 0;
}
static int write_outside(void) {
  return open_file("../outside/new", O_CREAT | O_WRONLY, 0600) >= 0;
}
static int overwrite_outside(void) { return open_file("../outside/file", O_WRONLY, 0) >= 0; }
static int truncate_outside(void) { return CALL(truncate, "../outside/file", 0, 0, 0, 0) == 0; }
static int remove_outside(void) {
  return CALL(unlinkat, AT_FDCWD, "../outside/removable", 0, 0, 0) == 0;
}
static int move_out(void) {
  return CALL(renameat, AT_FDCWD, "mine", AT_FDCWD, "../outside/moved", 0) == 0;
}
static int link_in(void) {
  return CALL(linkat, AT_FDCWD, "../outside/secret", AT_FDCWD, "stolen", 0) == 0 && reads("stolen");
}
static int set_user_id(void) {
  int file = open_file("set-user-id", O_CREAT | O_WRONLY, 0600);
  return file >= 0 && CALL(fchmod, file, 04700, 0, 0, 0) == 0;
}
static int directory_outside(void) {
  return CALL(mkdirat, AT_FDCWD, "../outside/directory", 0700, 0, 0) == 0;
}

static int socket_of(word family, word kind) { return CALL(socket, family, kind, 0, 0, 0) >= 0; }
static int tcp(void) { return socket_of(2, 1); }
static int udp(void) { return socket_of(2, 2); }
static int tcp6(void) { return socket_of(10, 1); }
static int local_socket(void) { return socket_of(1, 1); }
static int netlink(void) { return socket_of(16, 3); }
static int datagram_pair(void) {
  int pair[2];
  return CALL(socketpair, 1, 2, 0, pair, 0) == 0;
}

static int trace(void) { return CALL(ptrace, 16 /* ATTACH */, victim(), 0, 0, 0) == 0; }
static int signal_other(void) { return CALL(kill, victim(), 18 /* SIGCONT */, 0, 0, 0) == 0; }
static int read_memory(void) {
  /* A program without a random address, see the test. */
  char buffer[8];
  struct {
    void *base;
    size_t size;
  } here = {buffer, 8}, there = {(void *)0x400000, 8};
  return call6(SYS_process_vm_readv, victim(), (word)&here, 1, (word)&there, 1, 0) == 8;
}
static int open_of_victim(const char *name, int flags) {
  char path[64];
  of_victim(name, path);
  return open_file(path, flags, 0) >= 0;
}
static int memory_file(void) { return open_of_victim("/mem", O_RDWR); }
static int environment(void) { return open_of_victim("/environ", 0); }
static int by_its_root(void) { return open_of_victim("/root/etc/passwd", 0); }
static int by_its_directory(void) { return open_of_victim("/cwd/secret", 0); }
static int process_handle(void) { return CALL(pidfd_open, victim(), 0, 0, 0, 0) >= 0; }

static int user_namespace(void) { return CALL(unshare, 0x10000000, 0, 0, 0, 0) == 0; }
static int namespace_by_clone(void) {
  word child = CALL(clone, 0x10000000 | 17, 0, 0, 0, 0);
  if (child == 0) CALL(exit_group, 0, 0, 0, 0, 0);
  return child > 0;
}
static int namespace_by_clone3(void) {
  struct {
    uint64_t flags, pidfd, tid, parent, signal, stack, size, tls;
  } how = {0x10000000, 0, 0, 0, 17, 0, 0, 0};
  word child = CALL(clone3, &how, sizeof how, 0, 0, 0);
  if (child == 0) CALL(exit_group, 0, 0, 0, 0, 0);
  return child > 0;
}
static int mounts(void) {
  if (CALL(mount, "none", "mount", "tmpfs", 0, 0) != 0) return 0;
  CALL(umount2, "mount", 0, 0, 0, 0);
  return 1;
}
static int new_root(void) { return CALL(chroot, "../outside", 0, 0, 0, 0) == 0; }
static int other_user(void) { return CALL(setresuid, 65534, 65534, 65534, 0, 0) == 0; }
static int key(void) {
  return CALL(add_key, "user", "planted", "x", 1, KEY_SPEC_PROCESS_KEYRING) > 0;
}
static int bpf_map(void) {
  struct {
    uint32_t type, key, value, count;
    char rest[112];
  } map = {2, 4, 4, 1, {0}};
  return CALL(bpf, 0, &map, sizeof map, 0, 0) >= 0;
}
static int perf(void) {
  struct {
    uint32_t type, size;
    uint64_t config;
    char rest[112];
  } event = {1, 128, 0, {0}};
  return CALL(perf_event_open, &event, 0, -1, -1, 0) >= 0;
}
static int ring(void) {
  char parameters[128];
  memset(parameters, 0, sizeof parameters);
  return CALL(io_uring_setup, 4, parameters, 0, 0, 0) >= 0;
}
static int fault_handler(void) {
  return CALL(userfaultfd, 1 /* user mode only */, 0, 0, 0, 0) >= 0;
}
static int by_handle(void) {
  struct {
    uint32_t bytes;
    int type;
    char data[128];
  } handle = {128, 0, {0}};
  int mount;
  if (CALL(name_to_handle_at, AT_FDCWD, "../outside/secret", &handle, &mount, 0) != 0) return 0;
  return CALL(open_by_handle_at, open_file(".", O_DIRECTORY, 0), &handle, 0, 0, 0) >= 0;
}
static int personality(void) { return CALL(personality, 0x0040000, 0, 0, 0, 0) >= 0; }
static int typed(void) { return CALL(ioctl, 0, 0x5412 /* TIOCSTI */, "x", 0, 0) == 0; }
static int others_limit(void) {
  uint64_t limit[2];
  return CALL(prlimit64, victim(), 7, 0, limit, 0) == 0;
}

typedef int action(void);
static void attempt(const char *name, action *action, const char *only, int results) {
  int status = 0;
  if (*only) {
    if (equal(only, name)) CALL(exit_group, action() ? 42 : 1, 0, 0, 0, 0);
    return;
  }
  word child = CALL(fork, 0, 0, 0, 0, 0);
  if (child == 0) CALL(exit_group, action() ? 42 : 1, 0, 0, 0, 0);
  CALL(wait4, child, &status, 0, 0, 0);
  const char *end = status == 42 << 8 ? ": succeeded\n" : ": refused\n";
  CALL(write, results, name, length(name), 0, 0);
  CALL(write, results, end, length(end), 0, 0);
}

static __attribute__((used)) void begin(void) {
  char only[64] = "";
  read_file("only", only, sizeof only);
  int results = open_file("results", O_CREAT | O_WRONLY | O_TRUNC, 0600);
#define TRY(action) attempt(#action, action, only, results)
  TRY(shell);
  TRY(shell_by_loader);
  TRY(other_program);
  TRY(written_program);
  TRY(program_in_memory);
  TRY(program_in_memory_by_name);
  TRY(read_outside);
  TRY(read_key);
  TRY(read_by_link);
  TRY(read_by_proc);
  TRY(read_users);
  TRY(list_outside);
  TRY(write_outside);
  TRY(overwrite_outside);
  TRY(truncate_outside);
  TRY(remove_outside);
  TRY(move_out);
  TRY(link_in);
  TRY(directory_outside);
  TRY(set_user_id);
  TRY(tcp);
  TRY(udp);
  TRY(tcp6);
  TRY(local_socket);
  TRY(netlink);
  TRY(datagram_pair);
  TRY(trace);
  TRY(signal_other);
  TRY(read_memory);
  TRY(memory_file);
  TRY(environment);
  TRY(by_its_root);
  TRY(by_its_directory);
  TRY(process_handle);
  TRY(user_namespace);
  TRY(namespace_by_clone);
  TRY(namespace_by_clone3);
  TRY(mounts);
  TRY(new_root);
  TRY(other_user);
  TRY(key);
  TRY(bpf_map);
  TRY(perf);
  TRY(ring);
  TRY(fault_handler);
  TRY(by_handle);
  TRY(personality);
  TRY(typed);
  TRY(others_limit);
  CALL(exit_group, 0, 0, 0, 0, 0);
}

/* Reached from the middle of a compiled function, with any stack. */
__attribute__((section(".entry"), naked, used)) void entry(void) {
  __asm__("and $-16, %rsp\n\tcall begin");
}
