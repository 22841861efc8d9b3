import { describe, expect, it } from 'vitest'
import { type SandboxPlaces, sandboxCommand } from './sandbox-command.ts'

const PLACES: SandboxPlaces = {
  bubblewrap: '/usr/bin/bwrap',
  node: '/opt/node/bin/node',
  npm: undefined,
  script: '/opt/svc/inside.ts',
  app: '/data/apps/app_1/releases/dep_1',
  isAppWritable: false,
  home: undefined,
  run: '/tmp/w/run',
  out: '/tmp/w/out',
  etc: '/tmp/w/etc',
  identity: undefined,
  dataDir: '/data',
}
const LIMITS = { tmpfsBytes: 1000, processes: 50, openFiles: 60, hasCpuGroup: true }

function commandOf(places: Partial<SandboxPlaces> = {}, outerUid?: number): string {
  const { file, args, options } = sandboxCommand({ ...PLACES, ...places }, LIMITS, outerUid)
  const [, , ...command] = args
  return [file, ...options.split('\0').slice(0, -1), ...command].join(' ')
}

describe('the command line of a sandbox', () => {
  it.each([
    ['own processes', '--unshare-pid'],
    ['own network', '--unshare-net'],
    ['own shared memory', '--unshare-ipc'],
    ['an end with its parent', '--die-with-parent'],
    ['no terminal', '--new-session'],
    ['a release that cannot be written', '--ro-bind /data/apps/app_1/releases/dep_1 /app'],
    ['a tmpfs with a size', '--perms 1777 --size 1000 --tmpfs /tmp'],
    ['a closed root', '--remount-ro /dev --remount-ro /'],
    ['a filter of system calls', '--seccomp 4'],
    ['a limit of processes', 'ulimit -u 50'],
    ['an end before the server when memory is short', 'echo 1000 > /proc/self/oom_score_adj'],
    ['our script as the parent of the app', '/svc/bin/node --no-warnings'],
  ])('MA-15 has %s', (_what, part) => {
    for (const uid of [undefined, 61_200]) expect(commandOf({}, uid)).toContain(part)
  })

  it('MA-15 has a user namespace and no further ones where svc is not root', () => {
    expect(commandOf()).toContain('--unshare-user --uid 1000 --gid 1000 --disable-userns')
    expect(commandOf()).not.toContain('setpriv')
  })

  it('MA-15 changes to a user of its own where svc is root, and keeps no other right', () => {
    const command = commandOf({}, 61_200)
    expect(command).toContain('--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID')
    expect(command).toContain('-- setpriv --reuid 61200 --regid 61200 --clear-groups --inh-caps=-all -- sh -c')
    expect(command).not.toContain('--unshare-user')
  })

  it('MA-15 lets a build write to its source and its home, and nothing else of the disk', () => {
    const command = commandOf({ isAppWritable: true, home: '/data/home' })
    expect([...command.matchAll(/--bind (\S+) (\S+)/g)].map(([, from, to]) => `${from} ${to}`)).toEqual([
      '/data/apps/app_1/releases/dep_1 /app',
      '/data/home /home/app',
    ])
  })

  it('MA-15 hides a data folder that lies below a folder that apps see', () => {
    expect(commandOf({ dataDir: '/usr/local/svc' })).toContain('--tmpfs /usr/local/svc --remount-ro /usr/local/svc')
    expect(commandOf()).not.toContain('--tmpfs /data')
  })

  it('OP-09 runs when nobody else wants the processor where no group limits it', () => {
    const idle = sandboxCommand(PLACES, { ...LIMITS, hasCpuGroup: false }, undefined)
    expect(idle.args.join(' ')).toContain('exec chrt -i 0 "$@"')
    expect(commandOf()).not.toContain('chrt')
  })

  it('MA-15 offers npm if it came with Node', () => {
    expect(commandOf({ npm: '/opt/node/lib/node_modules/npm' })).toContain(
      '--ro-bind /opt/node/lib/node_modules/npm /svc/npm --symlink ../npm/bin/npm-cli.js /svc/bin/npm',
    )
  })

  it('MA-15 names no path of the machine in the arguments, which the app can read', () => {
    const { args } = sandboxCommand({ ...PLACES, npm: '/opt/node/lib/npm', home: '/data/home' }, LIMITS, 61_200)
    expect(args.slice(0, 3)).toEqual(['--args', '6', '--'])
    expect(args.join(' ')).not.toMatch(/\/opt|\/data|\/tmp/)
  })

  it('MA-15 names no variable of the app, because every user of a machine can read command lines', () => {
    expect(commandOf()).not.toContain('--setenv')
  })
})
