/**
 * The seccomp filter of a script process: what no script process needs is refused with EPERM, whoever asks for it. Above all it can open no
 * socket and start no process, and the parts of the kernel in which most holes were found are out of its reach.
 *
 * Node.js cannot install a filter, so Perl does before it becomes Node.js: it is part of every Debian and Ubuntu, and can make any system call.
 */

/** Numbers on x64 and arm64; undefined where the architecture does not have it. */
const refused: { [name: string]: readonly [x64: number, arm64: number | undefined] } = {
  // The network. The channels to the service are open already.
  ...{
    socket: [41, 198],
    connect: [42, 203],
    accept: [43, 202],
    accept4: [288, 242],
    bind: [49, 200],
    listen: [50, 201],
  },
  // Other processes.
  ...{ fork: [57, undefined], vfork: [58, undefined], ptrace: [101, 117], kcmp: [312, 272] },
  ...{ process_vm_readv: [310, 270], process_vm_writev: [311, 271], pidfd_open: [434, 434], pidfd_getfd: [438, 438] },
  // Files of others, and what makes a way around the walls.
  ...{
    mount: [165, 40],
    umount2: [166, 39],
    pivot_root: [155, 41],
    chroot: [161, 51],
    unshare: [272, 97],
    setns: [308, 268],
  },
  ...{ open_tree: [428, 428], move_mount: [429, 429], fsopen: [430, 430], fsconfig: [431, 431], fsmount: [432, 432] },
  ...{ fspick: [433, 433], mount_setattr: [442, 442], mknod: [133, undefined], mknodat: [259, 33] },
  ...{ name_to_handle_at: [303, 264], open_by_handle_at: [304, 265], fanotify_init: [300, 262], quotactl: [179, 60] },
  // Parts of the kernel with a history.
  ...{ bpf: [321, 280], perf_event_open: [298, 241], userfaultfd: [323, 282], personality: [135, 92] },
  ...{ io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427] },
  ...{ add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] },
  // The machine itself.
  ...{
    reboot: [169, 142],
    kexec_load: [246, 104],
    kexec_file_load: [320, 294],
    swapon: [167, 224],
    swapoff: [168, 225],
  },
  ...{
    init_module: [175, 105],
    delete_module: [176, 106],
    finit_module: [313, 273],
    acct: [163, 89],
    syslog: [103, 116],
  },
  ...{ settimeofday: [164, 170], clock_settime: [227, 112], adjtimex: [159, 171], clock_adjtime: [305, 266] },
  ...{ sethostname: [170, 161], setdomainname: [171, 162], iopl: [172, undefined], ioperm: [173, undefined] },
}

/** `audit` names the architecture in the kernel's own way; the filter must know which numbers it looks at. */
const machines: {
  [arch: string]: { index: 0 | 1; audit: number; prctl: number; seccomp: number; clone: number; clone3: number }
} = {
  x64: { index: 0, audit: 0xc000003e, prctl: 157, seccomp: 317, clone: 56, clone3: 435 },
  arm64: { index: 1, audit: 0xc00000b7, prctl: 167, seccomp: 277, clone: 220, clone3: 435 },
}

const EPERM = 1
const ENOSYS = 38
const CLONE_THREAD = 0x10000
/** Numbers from here on are those of another set of calls on x64, which nobody needs. */
const X32 = 0x40000000
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const refuse = (error: number): number => 0x00050000 | error
/** Offsets in what the filter is shown of a call. */
const at = { number: 0, audit: 4, firstArgument: 16 }

type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const answer = (action: number): Instruction => [0x06, 0, 0, action]
/** Skips the next instruction unless the loaded value is the given one. */
const ifEqual = (value: number): Instruction => [0x15, 0, 1, value]
const ifAtLeast = (value: number): Instruction => [0x35, 0, 1, value]
const ifHasBit = (bit: number): Instruction => [0x45, 0, 1, bit]

/** Undefined on architectures whose numbers are not known here. */
export function composeFilter(arch: string): Buffer | undefined {
  const machine = machines[arch]
  if (!machine) return undefined
  const numbers = Object.values(refused).flatMap((both) => both[machine.index] ?? [])
  const program: Instruction[] = [
    ...[load(at.audit), [0x15, 1, 0, machine.audit] as const, answer(KILL)],
    ...[load(at.number), ifAtLeast(X32), answer(refuse(EPERM))],
    // Its arguments lie in memory, where a filter cannot look; without it threads are made by `clone`.
    ...[ifEqual(machine.clone3), answer(refuse(ENOSYS))],
    ...numbers.flatMap((number) => [ifEqual(number), answer(refuse(EPERM))]),
    [0x15, 1, 0, machine.clone],
    answer(ALLOW),
    // Threads, but no processes.
    ...[load(at.firstArgument), ifHasBit(CLONE_THREAD), answer(ALLOW), answer(refuse(EPERM))],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jumpTrue, index * 8 + 2)
    bytes.writeUInt8(jumpFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}

/**
 * A program that installs the filter and becomes what follows it. When the system refuses the filter, it goes on without: the report of the
 * process tells, and the service says so.
 */
export function composeFilterCommand(perl: string, arch: string): string[] {
  const filter = composeFilter(arch)
  const machine = machines[arch]
  if (!filter || !machine) return []
  // 38: no new privileges. 1, 4: a filter for all calls, without slowing down speculation, which the isolates' own means are for.
  const program = [
    'my $filter = pack("H*", shift @ARGV);',
    'my $program = pack("S x![P] P", length($filter) / 8, $filter);',
    `syscall(${machine.prctl}, 38, 1, 0, 0, 0);`,
    `syscall(${machine.seccomp}, 1, 4, $program);`,
    'exec { $ARGV[0] } @ARGV;',
  ].join(' ')
  return [perl, '-e', program, filter.toString('hex')]
}
