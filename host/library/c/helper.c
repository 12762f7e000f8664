/* Starts the compile helper so that the program does not notice: wait(-1) does not return it, and
** no SIGCHLD is sent. The helper's parent is a copy of this process that ends without a signal
** (clone(2)), so only calls of wait with __WALL see it. The helper itself would send a signal, as
** every process does that execve starts. */

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Does not call the functions of pthread_atfork: the copy takes no locks. */
static int copy_process(unsigned long signal) {
  return (int)syscall(SYS_clone, signal, NULL, NULL, NULL, NULL);
}

__attribute__((noreturn)) static void become_helper(int program, char *const *words,
                                                    char *const *settings, const int *streams) {
  sigset_t none;
  int copies[3];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 0; i < 3; i++) copies[i] = fcntl(streams[i], F_DUPFD_CLOEXEC, 3);
  for (int i = 0; i < 3; i++) dup2(copies[i], i);
  signal(SIGPIPE, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (chdir("/") == 0) syscall(SYS_execveat, program, "", words, settings, AT_EMPTY_PATH);
  _exit(127);
}

/* End with the status of the helper. */
__attribute__((noreturn)) static void end_as(int status) {
  if (WIFSIGNALED(status)) {
    struct rlimit none = {0, 0};
    sigset_t all;
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

__attribute__((noreturn)) static void keep(int program, char *const *words, char *const *settings,
                                           const int *streams) {
  int status = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGCHLD, SIG_DFL);
  pid_t helper = copy_process(SIGCHLD);
  if (helper == 0) become_helper(program, words, settings, streams);
  /* Close files and pipes of the program. */
  syscall(SYS_close_range, 0, ~0u, 0);
  if (helper < 0) _exit(127);
  while (waitpid(helper, &status, 0) < 0 && errno == EINTR) {
  }
  end_as(status);
}

int helper_start(int program, char *const *words, char *const *settings, const int *streams) {
  sigset_t all, before;
  /* Signal handlers of the program must not run in the copy. */
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t keeper = copy_process(0);
  if (keeper == 0) keep(program, words, settings, streams);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return keeper < 0 ? -error : keeper;
}

int helper_ended(int process, int *status) {
  pid_t ended = waitpid(process, status, WNOHANG | __WALL);
  return ended < 0 ? -errno : ended == process;
}

void helper_end(int process) {
  kill(process, SIGKILL);
  while (waitpid(process, NULL, __WALL) < 0 && errno == EINTR) {
  }
}
