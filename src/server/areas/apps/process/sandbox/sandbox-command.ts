import { basename, dirname } from 'node:path'

/** Files and folders of the machine that one build or one instance of an app needs. */
export type SandboxPlaces = {
  readonly bubblewrap: string
  readonly node: string
  /** Folder of the package npm that came with this Node, if it did. */
  readonly npm: string | undefined
  /** Our script that runs inside as the parent of the app. */
  readonly script: string
  /** Source or release. An app must not write to it, a build must. */
  readonly app: string
  readonly isAppWritable: boolean
  /** Folder for HOME on disk. Undefined: HOME is in the tmpfs. */
  readonly home: string | undefined
  /** Empty folder in which our script makes the socket that requests come through. Not used for a build. */
  readonly run: string
  /** Folder with the socket of the proxy for outgoing connections. */
  readonly out: string
  /** Folder with passwd, group, hosts and nsswitch.conf. */
  readonly etc: string
  /** Folder with the token of a live instance. Undefined: it has none. */
  readonly identity: string | undefined
  /** The data folder of svc, in case that it is below a folder that apps see. */
  readonly dataDir: string
}

type SandboxLimits = {
  readonly tmpfsBytes: number
  readonly processes: number
  readonly openFiles: number
  /** Whether its processor time is limited by a group. Without, it gets what nobody else wants. */
  readonly hasCpuGroup: boolean
}

export const INSIDE = {
  app: '/app',
  scratch: '/tmp',
  home: '/home/app',
  socket: '/svc/run/app.sock',
  proxySocket: '/svc/out/proxy.sock',
  /** Where a pod has its token too. */
  token: '/var/run/secrets/svc/token',
  path: '/svc/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
} as const

/** Descriptors of the sandbox beside standard input, output and error. */
export const DESCRIPTORS = { info: 3, filter: 4, status: 5, options: 6 } as const

export type SandboxCommand = {
  readonly file: string
  readonly args: readonly string[]
  /** Arguments that bubblewrap reads from the descriptor `options`, so that no command line has a path of the machine. */
  readonly options: string
}

/** Programs and libraries of the machine. Those that are links on one distribution are folders on another. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store']
/** Configuration that programs need and that holds no secrets: no other file of /etc is visible. */
const CONFIGURATION = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/pki/ca-trust/extracted',
  '/etc/pki/tls/certs',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
]
/** Folders that bubblewrap would make on the way to others, closed to everyone but root. */
const PASSABLE = [
  '/etc',
  '/etc/ssl',
  '/etc/pki',
  '/etc/pki/ca-trust',
  '/etc/pki/tls',
  '/home',
  '/nix',
  '/svc',
  '/svc/bin',
]
const OWN_CONFIGURATION = ['passwd', 'group', 'hosts', 'nsswitch.conf']

/**
 * Returns the command line that runs our script in namespaces of its own. `outerUid` is the user that the processes
 * have on this machine where svc is root; where it is not, they have the user of svc, in a user namespace.
 */
export function sandboxCommand(
  places: SandboxPlaces,
  limits: SandboxLimits,
  outerUid: number | undefined,
): SandboxCommand {
  const script = `/svc/inside${places.script.slice(places.script.lastIndexOf('.'))}`
  const options = [
    ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    outerUid === undefined ? OWN_USER_NAMESPACE : ONLY_TO_CHANGE_USER,
    ['--die-with-parent', '--new-session', '--hostname', 'app'],
    PASSABLE.flatMap((path) => ['--perms', '0755', '--dir', path]),
    [...SYSTEM, ...CONFIGURATION].flatMap((path) => ['--ro-bind-try', path, path]),
    isVisible(places.dataDir) ? ['--tmpfs', places.dataDir, '--remount-ro', places.dataDir] : [],
    OWN_CONFIGURATION.flatMap((name) => ['--ro-bind', `${places.etc}/${name}`, `/etc/${name}`]),
    ['--proc', '/proc', '--dev', '/dev'],
    ['--perms', '1777', '--size', String(limits.tmpfsBytes), '--tmpfs', INSIDE.scratch],
    [places.isAppWritable ? '--bind' : '--ro-bind', places.app, INSIDE.app],
    places.home === undefined ? [] : ['--bind', places.home, INSIDE.home],
    ['--ro-bind', places.node, '/svc/bin/node', '--ro-bind', places.script, script],
    npmOf(places.npm),
    // A build gets no requests, and the folder would be a place to write without a limit.
    places.isAppWritable ? [] : ['--bind', places.run, dirname(INSIDE.socket)],
    ['--ro-bind', places.out, dirname(INSIDE.proxySocket)],
    identityOf(places.identity),
    // Their tmpfs has no size of its own.
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    ['--chdir', INSIDE.app],
    ['--info-fd', String(DESCRIPTORS.info), '--seccomp', String(DESCRIPTORS.filter)],
  ]
  const command = [
    outerUid === undefined ? [] : asUser(outerUid),
    limited(limits, ['/svc/bin/node', ...SCRIPT_OPTIONS, script]),
  ]
  return {
    file: places.bubblewrap,
    args: ['--args', String(DESCRIPTORS.options), '--', ...command.flat()],
    options: options
      .flat()
      .map((each) => `${each}\0`)
      .join(''),
  }
}

/** Keeps our script small: it only moves bytes. */
export const SCRIPT_OPTIONS = [
  '--no-warnings',
  '--disable-sigusr1',
  '--max-old-space-size=64',
  '--max-semi-space-size=1',
]

const OWN_USER_NAMESPACE = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--disable-userns']
const ONLY_TO_CHANGE_USER = ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']

/** As root without a user namespace: root's processes would have no limit of their count. */
function asUser(uid: number): string[] {
  return ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--inh-caps=-all', '--']
}

/**
 * Sets the limits in a shell, because not every machine has prlimit. `-u` is bash's name of dash's `-p`. When memory or
 * processors are short, apps have to wait or end before the server does.
 */
function limited({ processes, openFiles, hasCpuGroup }: SandboxLimits, command: readonly string[]): string[] {
  const limits = `ulimit -c 0; ulimit -n ${openFiles}; ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}`
  const idle = 'if command -v chrt > /dev/null; then exec chrt -i 0 "$@"; else exec nice -n 19 "$@"; fi'
  const yielding = `echo 1000 > /proc/self/oom_score_adj; ${hasCpuGroup ? 'exec nice -n 5 "$@"' : idle}`
  return ['sh', '-c', `set -e; ${limits}; ${yielding}`, 'sh', ...command]
}

function identityOf(folder: string | undefined): string[] {
  if (folder === undefined) return []
  const onTheWay = ['/var', '/var/run', '/var/run/secrets'].flatMap((path) => ['--perms', '0755', '--dir', path])
  return [...onTheWay, '--ro-bind', folder, dirname(INSIDE.token)]
}

function npmOf(folder: string | undefined): string[] {
  if (folder === undefined) return []
  const link = (name: string) => ['--symlink', `../npm/bin/${name}-cli.js`, `/svc/bin/${name}`]
  return ['--ro-bind', folder, '/svc/npm', ...link('npm'), ...link('npx')]
}

function isVisible(path: string): boolean {
  return SYSTEM.some((folder) => path === folder || path.startsWith(`${folder}/`)) && basename(path) !== ''
}
