// What Swift's Glibc module does not show on Linux: epoll, eventfd, accept4, signalfd, malloc_trim,
// the nice value of a thread, the files of the program, descriptors that a child does not get, the
// rights of a process, when a file was made.
// Headers and one-line wrappers here. Do not define _GNU_SOURCE here: it changes fd_set under
// the Glibc module's feet.
#ifndef POSTILION_CLINUX_H
#define POSTILION_CLINUX_H

#include <linux/keyctl.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// accept4 is declared only under _GNU_SOURCE; the symbol is always there.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

static inline int postilion_accept(int listener) {
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// A session of its own for a child, and so no terminal; declared only under _GNU_SOURCE.
static const int postilion_spawn_session = 0x80;

// As accept4; glibc 2.34 and later.
extern int posix_spawn_file_actions_addclosefrom_np(
    posix_spawn_file_actions_t *actions, int first);

// Bytes that a socket has been given and its peer has not acknowledged (tcp(7), SIOCOUTQ).
static inline int postilion_unacknowledged(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

// Gives memory that was freed back to the system.
static inline void postilion_trim_memory(void) { malloc_trim(0); }

// Gives back the pages of the program's files that are mapped to be read and run. Each is mapped
// again, from the file, when it is needed next.
void postilion_trim_program(void);

// When a file was made, in nanoseconds since 1970; 0 where the file system does not say. A copy was
// made when it was copied, whatever its other times say.
int64_t postilion_birth(const char *path);

// Linux keeps a nice value for each thread; 0 names the calling one. A higher one stays.
static inline void postilion_lower_priority(int niceness) {
  setpriority(PRIO_PROCESS, 0, niceness);
}

// No program that the calling thread starts gets more rights than the thread has, as by sudo
// (PR_SET_NO_NEW_PRIVS), nor the keys of root's session (session-keyring(7); a container that
// closes this call has none). And no other process of the account, such as a program that somebody
// runs in the database, may read the memory of this one, with its keys (PR_SET_DUMPABLE,
// ptrace(2)).
static inline int postilion_seal_process(void) {
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  int result = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return result == 0 ? prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) : result;
}

// Whether the calling thread has capabilities, or may take some (capabilities(7)).
bool postilion_has_capabilities(void);

// A descriptor that only stands for a place in the file system; declared only under _GNU_SOURCE.
static const int postilion_place_only = 010000000;

static inline struct epoll_event postilion_epoll_event(uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return event;
}

static inline uint64_t postilion_epoll_data(const struct epoll_event *event) {
  return event->data.u64;
}

#endif
