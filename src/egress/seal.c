/* egress/seal.c -- what this process gives up before the first request.
 *
 * It must keep sockets and the certificates of the host, and needs nothing else.
 * Whoever takes it over through a bug in TLS or HTTP finds a process of a user
 * that owns nothing, that can read no file but certificates, start no program
 * and look into no other process. Calls are denied by a list, not allowed by
 * one: libcurl and OpenSSL change what they call from version to version.
 *
 * SPDX-License-Identifier: MIT */
#include "egress/inside.h"
#include "jail/seal.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define FIRST_USER 0x70000000u

static int limits(void)
{
    static const struct { int what; uint64_t most; } rows[] = {
        { RLIMIT_CORE, 0 }, { RLIMIT_FSIZE, 0 }, { RLIMIT_MEMLOCK, 0 },
        { RLIMIT_STACK, 8 << 20 }, { RLIMIT_NOFILE, 65536 },
#ifndef GB_SANITIZED
        { RLIMIT_DATA, (uint64_t)2 << 30 },
#endif
    };
    int r = 0;
    for (size_t i = 0; r == 0 && i < COUNT(rows); i++)
        r = seal_limit(rows[i].what, rows[i].most);
    return r;
}

/* Root becomes a user of its own that has nothing anywhere. In a namespace that
 * does not map that user it stays who it is, without capabilities. */
static int user(void)
{
    uid_t id = FIRST_USER + (uid_t)getpid();
    if (geteuid() != 0)
        return 0;
    if (setgroups(0, NULL) == 0 && setresgid(id, id, id) == 0 &&
        setresuid(id, id, id) == 0)
        return 0;
    return errno == EINVAL || errno == EPERM ? 0 : -errno;
}

static int capabilities(void)
{
    int r = seal_capabilities();
    return r == -EPERM && geteuid() != 0 ? 0 : r;    /* there were none */
}

/* A change of user has taken the signal at our parent's death away. */
static int manners(void)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    return 0;
}

static int files(void)
{
    static const struct seal_path certificates[] = {
        { "/etc/ssl", SEAL_READ },
        { "/etc/pki", SEAL_READ },
        { "/etc/ca-certificates", SEAL_READ },
        { "/usr/share/ca-certificates", SEAL_READ },
        { "/usr/local/share/ca-certificates", SEAL_READ },
        { "/usr/lib/ssl", SEAL_READ },
        { "/dev/urandom", SEAL_READ },
    };
    int r = seal_landlock(certificates, COUNT(certificates));
    return r == -EOPNOTSUPP ? 0 : r;
}

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#else
#error "tell egress/seal.c about this architecture"
#endif

#define STATEMENT(code, k) (struct sock_filter)BPF_STMT((code), (k))
#define LOAD(field) STATEMENT(BPF_LD | BPF_W | BPF_ABS,                       \
                              offsetof(struct seccomp_data, field))

static const int denied_calls[] = {
    SYS_execve, SYS_execveat, SYS_clone, SYS_clone3, SYS_unshare, SYS_setns,
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open,
    SYS_pidfd_getfd, SYS_kcmp, SYS_kill, SYS_mount, SYS_umount2, SYS_pivot_root,
    SYS_chroot, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_keyctl,
    SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_personality, SYS_acct,
    SYS_quotactl, SYS_setresuid, SYS_setresgid, SYS_setuid, SYS_setgid,
    SYS_setgroups, SYS_listen, SYS_bind, SYS_truncate, SYS_ftruncate,
    SYS_unlinkat, SYS_mkdirat, SYS_symlinkat, SYS_linkat, SYS_renameat2,
    SYS_fchmodat, SYS_fchownat, SYS_mknodat, SYS_shmget, SYS_shmat, SYS_msgget,
    SYS_semget,
#ifdef __x86_64__
    SYS_fork, SYS_vfork, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_unlink,
    SYS_mkdir, SYS_rmdir, SYS_symlink, SYS_link, SYS_rename, SYS_chmod,
    SYS_chown, SYS_mknod, SYS_creat,
#endif
};

static int calls(void)
{
    struct sock_filter code[2 * COUNT(denied_calls) + 8];
    int n = 0;
    code[n++] = LOAD(arch);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                             OUR_ARCH, 1, 0);
    code[n++] = STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    code[n++] = LOAD(nr);
#ifdef __x86_64__
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
                                             0x40000000u, 0, 1);
    code[n++] = STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < COUNT(denied_calls); i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                 (uint32_t)denied_calls[i], 0, 1);
        code[n++] = STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[n++] = STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog prog = { .len = (unsigned short)n, .filter = code };
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0 ? -errno
                                                                       : 0;
}

int seal_egress(struct err *e)
{
    static const struct { const char *name; int (*take)(void); } steps[] = {
        { "limits", limits }, { "user", user }, { "capabilities", capabilities },
        { "manners", manners },
#ifndef GB_SANITIZED    /* AddressSanitizer reads files and starts processes */
        { "files", files }, { "calls", calls },
#endif
    };
    for (size_t i = 0; i < COUNT(steps); i++) {
        int r = steps[i].take();
        if (r < 0) {
            errno = -r;
            return err_sys(e, "the seal: %s", steps[i].name);
        }
    }
#ifdef GB_SANITIZED
    (void)files, (void)calls;
#endif
    return 0;
}
