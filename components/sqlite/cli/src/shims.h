/* Included ahead of shell.c: calls of the shell that go elsewhere in a
** sandbox, and what WASI's libc lacks. */
#ifndef SHIMS_H
#define SHIMS_H

/* The exit code goes to the host directly: WASI's carries only ok and failed. */
#define exit shell_exit

/* Names of files: the C library knows one granted directory at a time, so names
** are resolved before it sees them, and a refused one gets a message. */
#define fopen shell_fopen
#define access shell_access
#define chdir shell_chdir
#define chmod shell_chmod
#define mkdir shell_mkdir
#define opendir shell_opendir
#define readlink shell_readlink
#define symlink shell_symlink
#define unlink shell_unlink
#define utimes shell_utimes

/* Waiting for a line can be interrupted. */
#define fgets shell_fgets

/* What was written to stdout before appears before. */
#define fputs shell_fputs
#define fprintf shell_fprintf

/* SQLite has one progress handler for a connection; the engine's checks for interruption,
** and calls the shell's `.progress`. */
#define sqlite3_progress_handler engine_progress_handler

/* The shell has registered its own functions with a connection. */
struct sqlite3;
void engine_functions_registered(struct sqlite3 *db);

/* WASI knows no permission bits, which archives keep. The macros take arguments
** so that `struct stat` stays what it is. */
#include <sys/stat.h>
int shell_chmod(const char *zPath, unsigned bits);
int shell_stat(const char *zPath, struct stat *p);
int shell_lstat(const char *zPath, struct stat *p);
#define stat(P, B) shell_stat(P, B)
#define lstat(P, B) shell_lstat(P, B)

/* The name of the dot-command in the line if it needs another program, or 0. */
const char *sandbox_refuses(const char *zLine);

/* Say so; the result is that of a dot-command which failed. */
int sandbox_refuse(const char *zName);

/* The home directory as the host's user database has it, or 0. */
const char *shell_home(void);

/* As x86-64 converts: the smallest integer for what none can hold. */
long long real_to_int64(double r);

#endif
