/**
 * System calls that apps do not get, with their numbers on the two architectures. Each either leads out of the sandbox,
 * is a frequent way into the kernel, or holds memory that no limit of ours counts.
 */
type Refused = readonly [name: string, x64: number | undefined, arm64: number | undefined]

export const REFUSED_CALLS: readonly Refused[] = [
  // New namespaces and mounts: a user namespace of its own gives an app all rights in it.
  ['unshare', 272, 97],
  ['setns', 308, 268],
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['open_tree', 428, 428],
  ['move_mount', 429, 429],
  ['fsopen', 430, 430],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fspick', 433, 433],
  ['mount_setattr', 442, 442],
  ['open_by_handle_at', 304, 265],
  // Other processes, the kernel and the machine.
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['process_vm_writev', 311, 271],
  ['pidfd_getfd', 438, 438],
  ['kcmp', 312, 272],
  ['bpf', 321, 280],
  ['perf_event_open', 298, 241],
  ['userfaultfd', 323, 282],
  ['fanotify_init', 300, 262],
  ['kexec_load', 246, 104],
  ['kexec_file_load', 320, 294],
  ['init_module', 175, 105],
  ['finit_module', 313, 273],
  ['delete_module', 176, 106],
  ['reboot', 169, 142],
  ['acct', 163, 89],
  ['swapon', 167, 224],
  ['swapoff', 168, 225],
  ['quotactl', 179, 60],
  ['quotactl_fd', 443, 443],
  ['syslog', 103, 116],
  ['iopl', 172, undefined],
  ['ioperm', 173, undefined],
  ['modify_ldt', 154, undefined],
  // Key rings are shared with the rest of the machine.
  ['add_key', 248, 217],
  ['request_key', 249, 218],
  ['keyctl', 250, 219],
  // Memory that belongs to no process and to no file that we can see.
  ['memfd_create', 319, 279],
  ['memfd_secret', 447, 447],
  ['shmget', 29, 194],
  ['semget', 64, 190],
  ['msgget', 68, 186],
  ['mq_open', 240, 180],
]

/** Calls that answer "not there" instead of "not permitted", so that libraries use what they had before these. */
export const ABSENT_CALLS: readonly Refused[] = [
  // Its flags are behind a pointer, which a filter cannot read.
  ['clone3', 435, 435],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
]

/** Calls whose first argument decides. */
export const CLONE = { x64: 56, arm64: 220 } as const
export const SOCKET = { x64: 41, arm64: 198 } as const
