// For dl_iterate_phdr and statx; the header must not define it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CLinux.h"

// Whether the dynamic linker wrote into segments that are not writable (elf(5), DT_TEXTREL): what
// it wrote is in no file.
static bool has_text_relocations(const struct dl_phdr_info *object, const ElfW(Phdr) *dynamic) {
  const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + dynamic->p_vaddr);
  for (; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_TEXTREL) return true;
    if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return true;
  }
  return false;
}

static int give_back(struct dl_phdr_info *object, size_t size, void *context) {
  const ElfW(Phdr) *segments = object->dlpi_phdr;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (segments[i].p_type == PT_DYNAMIC && has_text_relocations(object, &segments[i])) return 0;
  }
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (segments[i].p_type != PT_LOAD || (segments[i].p_flags & PF_W)) continue;
    uintptr_t start = object->dlpi_addr + segments[i].p_vaddr;
    uintptr_t end = start + segments[i].p_memsz;
    start &= ~(page - 1);
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void postilion_trim_program(void) { dl_iterate_phdr(give_back, 0); }

int64_t postilion_birth(const char *path) {
  struct statx status;
  int result = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status);
  if (result != 0 || !(status.stx_mask & STATX_BTIME)) return 0;
  return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

bool postilion_has_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, data) != 0) return true;
  return data[0].permitted != 0 || data[1].permitted != 0;
}
