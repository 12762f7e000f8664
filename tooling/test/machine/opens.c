/* Whether another process can open a file:
**
**   opens PID PATH   makes it call `openat`, by ptrace, and prints how that ends
**
** No program of ours calls that for a file that is not granted, so only this shows that the kernel
** refuses it. The process has to read its standard input, which begins again afterwards. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct user_regs_struct Registers;

#if defined(__x86_64__)
#define STACK rsp
#define RESULT rax

/* As they are right before the call that the process is in. */
static void rewind_call(Registers *r) {
  r->rip -= 2;
  r->rax = r->orig_rax;
  /* The kernel has nothing to begin again. */
  r->orig_rax = -1;
}

static void set_call(Registers *r, long path) {
  r->rax = SYS_openat;
  r->rdi = AT_FDCWD;
  r->rsi = path;
  r->rdx = O_RDONLY;
}
#elif defined(__aarch64__)
#define STACK sp
#define RESULT regs[0]

/* The kernel has done that. */
static void rewind_call(Registers *r) { (void)r; }

static void set_call(Registers *r, long path) {
  r->regs[8] = SYS_openat;
  r->regs[0] = AT_FDCWD;
  r->regs[1] = path;
  r->regs[2] = O_RDONLY;
}
#endif

static pid_t process;

static void must(int is_done, const char *what) {
  if (is_done) return;
  perror(what);
  exit(1);
}

static void until_it_reads(void) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/syscall", process);
  for (long number = -1, descriptor = -1; number != SYS_read || descriptor != 0;) {
    FILE *file = fopen(name, "r");
    must(file != 0, name);
    if (fscanf(file, "%ld %li", &number, &descriptor) != 2) number = -1;
    fclose(file);
    usleep(10000);
  }
}

static void registers(int request, Registers *r) {
  struct iovec place = {r, sizeof *r};
  must(ptrace(request, process, NT_PRSTATUS, &place) == 0, "registers");
}

static void until_stopped(void) {
  int status;
  must(waitpid(process, &status, __WALL) == process && WIFSTOPPED(status), "stop");
}

/* To the beginning of a system call, or to its end. */
static void run(void) {
  must(ptrace(PTRACE_SYSCALL, process, 0, 0) == 0, "run");
  until_stopped();
}

/* Below what the stack is used for. */
static long write_path(const Registers *r, const char *path) {
  long place = ((long)r->STACK - 8192) & -16L;
  char text[4096] = {0};
  must(strlen(path) < sizeof text, "path");
  strcpy(text, path);
  for (size_t i = 0; i <= strlen(path); i += sizeof(long)) {
    long word;
    memcpy(&word, text + i, sizeof word);
    must(ptrace(PTRACE_POKEDATA, process, place + i, word) == 0, "write");
  }
  return place;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  process = atoi(arguments[1]);
  until_it_reads();
  must(ptrace(PTRACE_ATTACH, process, 0, 0) == 0, "attach");
  until_stopped();
  Registers before, r;
  registers(PTRACE_GETREGSET, &before);
  rewind_call(&before);
  r = before;
  set_call(&r, write_path(&r, arguments[2]));
  registers(PTRACE_SETREGSET, &r);
  run();
  run();
  registers(PTRACE_GETREGSET, &r);
  long result = (long)r.RESULT;
  puts(result < 0 ? strerror((int)-result) : "opened");
  registers(PTRACE_SETREGSET, &before);
  must(ptrace(PTRACE_DETACH, process, 0, 0) == 0, "detach");
  return 0;
}
