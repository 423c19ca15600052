/* Counts fsync and fdatasync, and may delay each: preloaded into a server that is measured.
 *
 * NINEFOLD_BENCH_SYNCS names a file of two 64-bit numbers: how many syncs there were, and by how many microseconds each
 * is delayed. It is mapped, so that the bench reads the one and writes the other while the server runs. The delay comes
 * before the sync itself: a slower disk, and no less durability. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct shared {
  uint64_t syncs;
  uint64_t delay;
};

static struct shared *shared;
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  const char *path = getenv("NINEFOLD_BENCH_SYNCS");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at != MAP_FAILED) shared = at;
  close(file);
}

static void count_and_wait(void) {
  if (!shared) return;
  __atomic_add_fetch(&shared->syncs, 1, __ATOMIC_RELAXED);
  uint64_t delay = __atomic_load_n(&shared->delay, __ATOMIC_RELAXED);
  if (delay == 0) return;
  struct timespec left = {(time_t)(delay / 1000000), (long)(delay % 1000000) * 1000};
  while (nanosleep(&left, &left) != 0) {
  }
}

int fsync(int file) {
  count_and_wait();
  return real_fsync(file);
}

int fdatasync(int file) {
  count_and_wait();
  return real_fdatasync(file);
}
