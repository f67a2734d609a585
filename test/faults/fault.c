/*
 * For tests: counts the calls that change the disk and has some of them go wrong.
 * FAULT_AT=n or n-m: which ones; FAULT_CALL=name: counts only calls of this name; FAULT_ERRNO=e: they fail with this
 * error instead of ending the process as kill -9 does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(const char *name) {
  static int calls;
  const char *at = getenv("FAULT_AT"), *only = getenv("FAULT_CALL"), *error = getenv("FAULT_ERRNO");
  if (!at || (only && strcmp(only, name))) return 0;
  char *end;
  long from = strtol(at, &end, 10), to = *end == '-' ? atol(end + 1) : from;
  int call = __sync_add_and_fetch(&calls, 1);
  if (call < from || call > to) return 0;
  if (!error) syscall(SYS_kill, getpid(), SIGKILL);
  errno = atoi(error);
  return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define MODE(flags) mode_t mode = 0; if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int rename(const char *from, const char *to) { REAL(rename); return fails("rename") ? -1 : real(from, to); }
int link(const char *from, const char *to) { REAL(link); return fails("link") ? -1 : real(from, to); }
int unlink(const char *path) { REAL(unlink); return fails("unlink") ? -1 : real(path); }
int fsync(int fd) { REAL(fsync); return fails("fsync") ? -1 : real(fd); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return fails("mkdir") ? -1 : real(path, mode); }
int chmod(const char *path, mode_t mode) { REAL(chmod); return fails("chmod") ? -1 : real(path, mode); }
int open(const char *path, int flags, ...) { MODE(flags); REAL(open); return (flags & O_CREAT) && fails("open") ? -1 : real(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); REAL(open64); return (flags & O_CREAT) && fails("open") ? -1 : real(path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE(flags); REAL(openat); return (flags & O_CREAT) && fails("open") ? -1 : real(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE(flags); REAL(openat64); return (flags & O_CREAT) && fails("open") ? -1 : real(dir, path, flags, mode); }

/* Pipes and terminals are no disk. */
ssize_t write(int fd, const void *bytes, size_t count) {
  struct stat stat;
  REAL(write);
  return fd > 2 && fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && fails("write") ? -1 : real(fd, bytes, count);
}
