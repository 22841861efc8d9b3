import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { descendantsOf } from '#lib/processes/process-memory.ts'
import {
  appRef,
  appThat,
  ask,
  deployFacts,
  ONLY_WATCHED,
  openTestTarget,
  type TestTarget,
} from '#test/apps/app-target.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'
import type { Instance } from '../deploys/target.ts'

const MIB = 1024 * 1024

needs('bubblewrap')('a hostile app', () => {
  let test: TestTarget
  let own: Server
  let other: Server
  let otherConnections = 0
  const portOf = (server: Server) => (server.address() as AddressInfo).port

  beforeAll(async () => {
    own = createServer(({ socket }, response) => response.end(`own api for ${socket.remoteAddress}`))
    other = createServer((_request, response) => response.end('secret of another service'))
    other.on('connection', () => otherConnections++)
    for (const server of [own, other]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    test = openTestTarget({
      apiOrigin: () => `http://localhost:${portOf(own)}`,
      limits: { memoryBytes: 300 * MIB, tmpfsBytes: 16 * MIB, processes: 80, openFiles: 256 },
    })
    writeFileSync(join(test.dataDir, 'secrets.json'), 'TOPSECRET')
  })
  afterAll(async () => {
    await test[Symbol.asyncDispose]()
    for (const server of [own, other]) server.close()
  })

  it('MA-15 finds neither our data folder nor files of the machine nor other processes', async () => {
    const app = await test.serve(
      appThat(`return {
        secret: tried(() => fs.readFileSync(${JSON.stringify(join(test.dataDir, 'secrets.json'))}, 'utf8')),
        shadow: tried(() => fs.readFileSync('/etc/shadow', 'utf8')),
        root: fs.readdirSync('/').sort(),
        processes: fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length,
        init: tried(() => fs.readFileSync('/proc/1/environ', 'utf8')),
        kernel: tried(() => fs.writeFileSync('/proc/sys/kernel/hostname', 'x')),
        user: process.getuid() !== 0 && process.geteuid() !== 0,
        groups: process.getgroups().every((group) => group !== 0),
        rights: /CapEff:\\t0+\\n/.test(fs.readFileSync('/proc/self/status', 'utf8')),
      }`),
    )
    const found = (await ask(app)) as Record<string, unknown>
    expect(found).toMatchObject({ secret: 'refused: ENOENT', shadow: 'refused: ENOENT', init: 'refused: EACCES' })
    expect(found).toMatchObject({ user: true, groups: true, rights: true })
    expect(['refused: EACCES', 'refused: EROFS']).toContain(found.kernel)
    const system = ['bin', 'lib', 'lib32', 'lib64', 'nix', 'sbin', 'usr']
    expect((found.root as string[]).filter((name) => !system.includes(name))).toEqual([
      'app',
      'dev',
      'etc',
      'home',
      'proc',
      'svc',
      'tmp',
    ])
    // The first of the sandbox, our script and the app itself.
    expect(found.processes).toBeLessThanOrEqual(4)
  })

  it('MA-15 writes to its tmpfs up to its size, and nowhere else', async () => {
    const app = await test.serve(
      appThat(`
        const places = ['/app', '/', '/dev', '/dev/shm', '/etc', '/home', '/svc', '/svc/bin', '/svc/run', '/svc/out', '/usr']
        const written = places.map((place) => tried(() => fs.writeFileSync(place + '/x', 'x')) ?? place)
        let bytes = 0
        const full = tried(() => { for (;;) bytes += fs.appendFileSync('/tmp/x', Buffer.alloc(1 << 20)) ?? 1 << 20 })
        return { written, release: tried(() => fs.writeFileSync('/app/app.js', 'changed')), full, bytes }`),
    )
    const { written, release, full, bytes } = (await ask(app)) as Record<string, unknown> & { written: string[] }
    expect(written.filter((result) => !/^refused: (?:EROFS|EACCES|ENOENT)$/.test(result))).toEqual([])
    expect({ release, full }).toEqual({ release: 'refused: EROFS', full: 'refused: ENOSPC' })
    expect(bytes).toBeLessThanOrEqual(16 * MIB)
  })

  it('MA-15 reaches no port and no socket of this machine except our API', async () => {
    const app = await test.serve(
      appThat(`
        const through = (url) => fetch(url).then((answer) => answer.text(), (error) => 'failed: ' + error.cause?.code)
        const proxied = (target) => new Promise((resolve) => {
          const { port } = new URL(process.env.HTTP_PROXY)
          const socket = net.connect(port, '127.0.0.1', () => socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\n\\r\\n'))
          socket.on('data', (bytes) => { resolve(String(bytes).split('\\r\\n')[0]); socket.destroy() })
        })
        return {
          // The proxy refuses it, so that nothing but its log shows that the request went there.
          metadata: await through('http://169.254.169.253/').then(() => 'asked'),
          other: await through('http://127.0.0.1:${portOf(other)}/'),
          own: await through(process.env.SVC_API_URL + '/x'),
          proxied: await Promise.all(['127.0.0.1:${portOf(other)}', 'localhost:${portOf(other)}', '[::1]:${portOf(other)}',
            '169.254.169.254:80', '10.0.0.1:443', '127.0.0.1:${portOf(own)}'].map(proxied)),
        }`),
    )
    const refused = 'HTTP/1.1 403 Forbidden'
    expect(await ask(app)).toEqual({
      metadata: 'asked',
      other: 'failed: ECONNREFUSED',
      // From an address of its own, so that it does not count as the people on this machine.
      own: expect.stringMatching(/^own api for 127\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./),
      proxied: [refused, refused, refused, refused, refused, 'HTTP/1.1 200 Connection established'],
    })
    expect(otherConnections).toBe(0)
    for (const address of ['10.0.0.1', '169.254.169.253']) {
      expect(test.lines).toContain(`system: Outgoing connection refused: ${address} is not a public address.`)
    }
  })

  it.each([
    ['namespace of its own', 'unshare', [0x10000000]],
    ['mount', 'mount', [0, 0, 0, 0, 0]],
    ['trace of another process', 'ptrace', [16, 1, 0, 0]],
    ['memory of another process', 'process_vm_readv', [1, 0, 0, 0, 0, 0]],
    ['memory without a process', 'memfd_create', [0, 0]],
    ['shared memory', 'shmget', [0, 4096, 0o1600]],
    ['key ring of the machine', 'keyctl', [0, 0]],
    ['program into the kernel', 'bpf', [0, 0, 0]],
    ['socket to the hypervisor', 'socket', [40, 1, 0]],
    ['other user', 'setuid', [0]],
  ])('MA-15 gets no %s', async (_what, name, args) => {
    const numbers: Record<string, [number, number]> = {
      unshare: [272, 97],
      mount: [165, 40],
      ptrace: [101, 117],
      process_vm_readv: [310, 270],
      memfd_create: [319, 279],
      shmget: [29, 194],
      keyctl: [250, 219],
      bpf: [321, 280],
      socket: [41, 198],
      setuid: [105, 146],
    }
    const call = [numbers[name]![process.arch === 'x64' ? 0 : 1], ...args].join(', ')
    const id = `dep_call${name.replaceAll('_', '')}`
    await test.build(id, {}, null)
    const app = await test.start(id, `perl -e '$n = syscall(${call}); print "${name} $n $!\\n"'`)
    await app.ended
    const line = test.lines.find((each) => each.startsWith(`stdout: ${name} `))
    expect(line).toMatch(/ -1 (?:Operation not permitted|Address family not supported by protocol)$/)
  })

  it('MA-15 that forks without end is held at its count, and others start and answer', async () => {
    const bomb = await test.serve(FORK_BOMB)
    await ask(bomb, '/bomb')
    const processes = await countUntilSteady(bomb)
    expect(processes).toBeGreaterThan(10)
    expect(processes).toBeLessThanOrEqual(80)
    const beside = await test.serve(appThat(`return spawnSync('echo', ['still here']).stdout.toString()`))
    expect(await ask(beside)).toBe('still here\n')
    await bomb.stop(0)
    expect(await ask(beside)).toBe('still here\n')
  })

  it('MA-15 that takes more memory than it may is ended with the reason, and others go on', async () => {
    const beside = await test.serve(appThat('return 1'))
    const greedy = await test.serve(
      appThat(`
        if (request.url !== '/greedy') return 1
        // In processes of their own, each below the limit.
        for (let n = 0; n < 3; n++) spawn('node', ['-e', 'kept = Buffer.alloc(120 << 20, 1); setInterval(() => {}, 1000)'])
        return 2`),
    )
    expect(await ask(greedy, '/greedy')).toBe(2)
    expect(await greedy.ended).toEqual({ description: 'killed: it used more than 300 MB of memory' })
    expect(await ask(beside)).toBe(1)
  })

  it('OP-09 has its processor time limited by a group, or gets what nobody else wants', async () => {
    await test.build('dep_cpu', {}, null, { app: 'app_cpu' })
    const app = await test.start('dep_cpu', 'sleep 1000', { app: 'app_cpu' })
    const running = join(test.dataDir, 'apps', 'app_cpu', 'running')
    await until(() => readdirSync(running).some((name) => name.endsWith('.first')))
    const [file] = readdirSync(running).filter((name) => name.endsWith('.first'))
    const pid = readFileSync(join(running, file!), 'utf8').split(' ')[0]
    const isInGroup = /^\d+:.*\bcpu\b.*:.*\/svc-apps\/\w+\/org_1\/\w+$/m.test(
      readFileSync(`/proc/${pid}/cgroup`, 'utf8'),
    )
    expect(isInGroup || (await policyOf(Number(pid))) === IDLE).toBe(true)
    await app.stop(0)
  })

  it('MA-15 that ignores the request to end is killed with everything it started', async () => {
    const files = appThat('return process.ppid')
    files['app.js'] = `process.on('SIGTERM', () => console.log('no'))\n${files['app.js']}`
    const app = await test.serve(files, `(trap '' TERM; while :; do sleep 1; done) & exec node app.js`, {
      app: 'app_stubborn',
    })
    const running = join(test.dataDir, 'apps', 'app_stubborn', 'running')
    const names = readdirSync(running).filter((name) => !name.endsWith('.place'))
    const pids = names.map((name) => readFileSync(join(running, name), 'utf8').split(' ')[0]!)
    expect(pids).toHaveLength(2)
    await app.stop(100)
    expect(await app.ended).toEqual({ description: 'killed: it did not end when asked to' })
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
    expect(readdirSync(running)).toEqual([])
  })

  it('MA-15 whose output never ends is held back, and its lines come in bounded parts', async () => {
    await test.build('dep_loud', {}, null)
    let longest = 0
    let bytes = 0
    const onLine = ({ text }: { text: string }) => {
      longest = Math.max(longest, text.length)
      bytes += text.length
    }
    const deploy = { ...deployFacts('app_1', 'dep_loud'), startCommand: 'cat /dev/zero' }
    const request = {
      deploy,
      environment: {},
      onLine,
      fence: 1,
      storedLines: async () => undefined,
      onHarmful: () => {},
      signal: new AbortController().signal,
    }
    const app = await test.target.start({ ...request, release: { deployId: 'dep_loud' } })
    await until(() => bytes > 4 * MIB)
    await app.stop(0)
    expect(longest).toBe(64 * 1024)
  })
})

needs('bubblewrap')('a hostile app that no control group limits', () => {
  let test: TestTarget
  beforeAll(() => {
    test = openTestTarget({ ...ONLY_WATCHED, limits: { memoryBytes: 300 * MIB, processes: 80, openFiles: 256 } })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('MA-15 that hides memory in sockets is ended as well', async () => {
    await test.build('dep_sockets', {}, null)
    const program = `use Socket; for (1..15) { last if !fork }
      while (socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC)) { push @kept, $a, $b }
      sleep 1000`
    const app = await test.start('dep_sockets', `exec perl -e '${program}'`)
    expect(await app.ended).toEqual({ description: 'killed: it used more than 300 MB of memory' })
  })

  it('OP-09 that fills the memory of the kernel with page tables is ended', async () => {
    await test.build('dep_tables', {}, null)
    // Reads one byte of every 2 MB: each needs a page of tables, and none counts as memory of the process.
    const mmap = process.arch === 'x64' ? 9 : 222
    const program = `$size = 200 * 2 ** 30; $at = syscall(${mmap}, 0, $size, 1, 0x4022, -1, 0);
      for ($i = 0; $i < $size; $i += 2 ** 21) { unpack("P1", pack("Q", $at + $i)) }
      sleep 1000`
    const app = await test.start('dep_tables', `exec perl -e '${program}'`)
    expect(await app.ended).toEqual({ description: 'killed: it used more than 300 MB of memory' })
  })

  it('OP-09 that fills fewer sockets than a busy app has is ended too', async () => {
    await test.build('dep_buffers', {}, null)
    const program = `use Socket; for (1..7) { last if !fork }
      for (1..100) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or last; push @kept, $a, $b }
      sleep 1000`
    const app = await test.start('dep_buffers', `exec perl -e '${program}'`)
    expect(await app.ended).toEqual({ description: 'killed: it used more than 300 MB of memory' })
  })

  it('OP-09 that keeps sockets in which nothing waits is ended too', async () => {
    await using wide = openTestTarget({
      ...ONLY_WATCHED,
      limits: { memoryBytes: 150 * MIB, processes: 80, openFiles: 4096 },
    })
    await wide.build('dep_idle', {}, null)
    const socket = process.arch === 'x64' ? 41 : 198
    const program = `for (1..15) { last if !fork } for (1..3000) { syscall(${socket}, 2, 1, 0) } sleep 1000`
    const app = await wide.start('dep_idle', `exec perl -e '${program}'`)
    expect(await app.ended).toEqual({ description: 'killed: it used more than 150 MB of memory' })
  })

  it('OP-09 is ended when it uses the most of what its organization may use together', async () => {
    const organization = { memoryBytes: 300 * MIB, processes: 1000, diskBytes: 1000 * MIB }
    await using small = openTestTarget({ ...ONLY_WATCHED, limits: { memoryBytes: 600 * MIB, organization } })
    const beside = await small.serve(appThat('return 1'))
    await small.build('dep_large', {}, null)
    const app = await small.start('dep_large', TAKES_300_MB)
    expect(await app.ended).toEqual({ description: OVER_TOTAL })
    expect(await ask(beside)).toBe(1)
  })
})

needs('bubblewrap', 'control groups')('a hostile app in a control group', () => {
  let test: TestTarget
  beforeAll(() => {
    const organization = { memoryBytes: 300 * MIB, processes: 90, diskBytes: 1000 * MIB }
    test = openTestTarget({ limits: { memoryBytes: 200 * MIB, processes: 80, openFiles: 4096, organization } })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  // The kernel ends the processes one by one, and what one had the others take until the app is ended: only of a single
  // process is the number of its steps the memory that it had.
  it.each([
    ['one process', 0, 20],
    ['ten processes', 9, 99],
  ])('OP-09 never has more memory than it may, however fast %s takes it', async (_, forks, maxSteps) => {
    await test.build('dep_fast', {}, null)
    // 1,000 MB in steps, faster than anybody can watch.
    const program = `$size = 10 << 20; for (1..${forks}) { last if !fork }
      for (1..${forks === 0 ? 100 : 10}) { push @kept, "x" x $size; syswrite(STDOUT, "10 MB\\n") } sleep 1000`
    const before = test.lines.length
    const app = await test.start('dep_fast', `exec perl -e '${program}'`)
    expect(await app.ended).toEqual({ description: OVER_OWN })
    const steps = test.lines.slice(before).filter((line) => line === 'stdout: 10 MB')
    expect(steps.length).toBeLessThanOrEqual(maxSteps)
  })

  it.each([
    [
      'page tables',
      `$at = syscall(${process.arch === 'x64' ? 9 : 222}, 0, 300 * 2 ** 30, 1, 0x4022, -1, 0);
      for ($i = 0; $i < 300 * 2 ** 30; $i += 2 ** 21) { unpack("P1", pack("Q", $at + $i)) }`,
    ],
    [
      'buffers of sockets',
      `use Socket; use Fcntl; for (1..7) { last if !fork } $data = "x" x 65536;
      while (socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC)) {
        push @kept, $a, $b; fcntl($a, F_SETFL, O_NONBLOCK); while (syswrite($a, $data)) {} }`,
    ],
  ])('OP-09 that fills the memory of the kernel with %s is ended', async (_what, program) => {
    await test.build('dep_kernel', {}, null)
    const app = await test.start('dep_kernel', `exec perl -e '${program} sleep 1000'`)
    expect(await app.ended).toEqual({ description: OVER_OWN })
  })

  it('OP-09 goes on with many sockets in which nothing waits, because the kernel counts what they take', async () => {
    const app = await test.serve(
      appThat(`globalThis.kept ??= []
        const { port } = request.socket.address()
        for (let n = 0; n < 300; n++) kept.push(net.connect(port, '127.0.0.1'))
        return kept.length`),
    )
    expect(await ask(app)).toBeGreaterThanOrEqual(300)
    await app.stop(0)
  })

  it('OP-09 is ended when it uses the most of what its organization may use together', async () => {
    const organization = { memoryBytes: 300 * MIB, processes: 1000, diskBytes: 1000 * MIB }
    await using small = openTestTarget({ limits: { memoryBytes: 600 * MIB, organization } })
    const beside = await small.serve(appThat('return 1'))
    await small.build('dep_large', {}, null)
    const app = await small.start('dep_large', TAKES_300_MB)
    expect(await app.ended).toEqual({ description: OVER_TOTAL })
    expect(await ask(beside)).toBe(1)
  })

  it('OP-09 shares the processes of its organization with its other apps', async () => {
    // Each alone may have 80, both together 90.
    const [first, second] = [await test.serve(FORK_BOMB), await test.serve(FORK_BOMB)]
    await Promise.all([ask(first, '/bomb'), ask(second, '/bomb')])
    const counts = [await countUntilSteady(first), await countUntilSteady(second)]
    expect(counts[0]! + counts[1]!).toBeGreaterThan(40)
    expect(counts[0]! + counts[1]!).toBeLessThanOrEqual(90)
    await Promise.all([first.stop(0), second.stop(0)])
  })

  it('OP-09 leaves no group behind, and groups of a killed server are removed by the next', async () => {
    await using own = openTestTarget()
    await own.build('dep_gone', {}, null)
    const app = await own.start('dep_gone', 'sleep 1000')
    const pid = readdirSync(join(own.dataDir, 'apps', 'app_1', 'running')).find((name) => !name.includes('.'))!
    const first = readFileSync(join(own.dataDir, 'apps', 'app_1', 'running', pid), 'utf8').split(' ')[0]!
    const path = /^\d+:memory:(.*)$/m.exec(readFileSync(`/proc/${first}/cgroup`, 'utf8'))![1]!
    const folder = join('/sys/fs/cgroup/memory', path)
    expect(path).toMatch(/\/svc-apps\/[0-9a-f]{12}\/org_1\/[0-9a-f]{12}$/)
    await app.stop(0)
    expect([existsSync(folder), existsSync(dirname(folder))]).toEqual([false, false])
    mkdirSync(folder, { recursive: true })
    await using next = openTestTarget({ dataDir: own.dataDir })
    await next.target.endOrphans({ ...appRef('app_1'), fence: 1 }, [])
    expect(existsSync(dirname(folder))).toBe(false)
  })
})

/** Starts processes without end at `/bomb`, and answers how many there are. */
const FORK_BOMB = appThat(`
  // None of them ends, because a list of processes that come and go while it is read has too many.
  const bomb = 'while (1) { defined(fork) or select(undef, undef, undef, 0.5) }'
  // Another app of the organization may have taken the last process: the error of that would end this one.
  if (request.url === '/bomb') spawn('perl', ['-e', bomb], { stdio: 'ignore' }).on('error', () => {})
  return fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length`)

/** Resolves with the highest count when twenty answers in a row did not change it. */
async function countUntilSteady(app: Instance): Promise<number> {
  const counts: number[] = []
  await until(async () => counts.push((await ask(app)) as number) > 20 && counts.at(-1) === counts.at(-20))
  return Math.max(...counts)
}

const OVER_OWN = 'killed: it used more than 200 MB of memory'
const OVER_TOTAL =
  'killed: the apps and builds of its organization used more than 300 MB of memory together, and it used the most. Use ' +
  'less, delete apps that are not needed, or ask the operator to raise SVC_APPS_MEMORY_PER_ORG_MB'
const TAKES_300_MB = `exec perl -e '$kept = "x" x (300 << 20); sleep 1000'`

needs('bubblewrap')('a hostile build that has no file system of its own', () => {
  let test: TestTarget
  beforeAll(() => {
    test = openTestTarget({
      ...ONLY_WATCHED,
      limits: { buildDisk: { bytes: 20 * MIB, files: 300, minFreeBytes: MIB } },
    })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('OP-09 finds no folder without a limit where apps have their socket', async () => {
    expect(await test.build('dep_run', {}, 'echo > /svc/run/big')).toMatchObject({ ok: false, code: 'BUILD_FAILED' })
  })

  it.each([
    [
      'too much into a file without a name',
      'exec 3> big; rm big; dd if=/dev/zero bs=1M count=60 >&3; sleep 1000',
      'it wrote more than 20 MB',
    ],
    ['too much', 'dd if=/dev/zero of=big bs=1M count=60; sleep 1000', 'it wrote more than 20 MB'],
    ['too much at home', 'dd if=/dev/zero of=$HOME/big bs=1M count=60; sleep 1000', 'it wrote more than 20 MB'],
    [
      'too many files',
      'n=0; while [ $n -lt 400 ]; do : > f$n; n=$((n+1)); done; sleep 1000',
      'it wrote more than 300 files',
    ],
    [
      'below a path that is too long',
      'n=0; while [ $n -lt 20 ]; do mkdir "$(printf %0250d 0)"; cd "$(printf %0250d 0)"; n=$((n+1)); done; sleep 1000',
      'it made a path longer than 4,096 bytes, below which files cannot be counted',
    ],
  ])('MA-15 that writes %s is ended and leaves nothing', async (_what, command, reason) => {
    expect(await test.build('dep_full', {}, command)).toEqual({
      ok: false,
      code: 'BUILD_FAILED',
      detail: `The build command ended: killed: ${reason}.`,
    })
    expect(readdirSync(join(test.dataDir, 'apps', 'app_1', 'builds'))).toEqual([])
  })

  it('MA-15 that takes too long is ended', async () => {
    await using hurried = openTestTarget({ limits: { buildMs: 2_000 } })
    expect(await hurried.build('dep_slow', {}, 'sleep 1000')).toEqual({
      ok: false,
      code: 'TIMED_OUT',
      detail: 'The build command ended: killed: it took more than 2 seconds.',
    })
  })

  it('MA-15 that leaves paths longer than any is refused, and leaves nothing', async () => {
    const command =
      'n=0; while [ $n -lt 250 ]; do mkdir twenty-characters-12; cd twenty-characters-12; n=$((n+1)); done'
    expect(await test.build('dep_deep', {}, command)).toEqual({
      ok: false,
      code: 'BUILD_FAILED',
      // The watch of the disk may see them before the command has ended.
      detail: expect.stringMatching(
        /^The (?:files that the build left cannot be read: ENAMETOOLONG|build command ended: killed: it made a path .*)\.$/,
      ),
    })
    expect(readdirSync(join(test.dataDir, 'apps', 'app_1', 'builds'))).toEqual([])
  })

  it('MA-15 that leaves a special file is refused, and links lead nowhere outside', async () => {
    expect(await test.build('dep_pipe', {}, 'mkfifo pipe')).toEqual({
      ok: false,
      code: 'BUILD_FAILED',
      detail: 'The build left a file that is neither a plain file, a folder nor a link: pipe.',
    })
    writeFileSync(join(test.dataDir, 'secrets.json'), 'TOPSECRET')
    const command = `ln -s ${test.dataDir}/secrets.json link; umask 077; echo mine > closed; chmod 4755 closed`
    expect(await test.build('dep_link', {}, command)).toMatchObject({ ok: true })
    const app = await test.start('dep_link', 'cat link; cat closed; ls -l closed')
    await app.ended
    expect(test.lines.join('\n')).not.toContain('TOPSECRET')
    expect(test.lines).toContain('stdout: mine')
    expect(test.lines.find((line) => line.includes(' closed'))).toContain('-rwxr-xr-x')
  })
})

needs('bubblewrap', 'loop devices')('a hostile build on a file system of its own', () => {
  let test: TestTarget
  beforeAll(() => {
    test = openTestTarget({ limits: { buildDisk: { bytes: 20 * MIB, files: 300, minFreeBytes: MIB } } })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it.each([
    ['into a file', 'dd if=/dev/zero of=big bs=1M count=60', 'it wrote more than 20 MB'],
    ['at home', 'dd if=/dev/zero of=$HOME/big bs=1M count=60', 'it wrote more than 20 MB'],
    ['and says that all is well', 'dd if=/dev/zero of=big bs=1M count=60; true', 'it wrote more than 20 MB'],
    [
      'into a file without a name',
      `perl -e 'open(F, "+>", "big"); unlink "big"; for (1..60) { syswrite(F, "x" x 2**20) or last } sleep 1000'`,
      'it wrote more than 20 MB',
    ],
    ['of small files', 'n=0; while [ $n -lt 400 ]; do : > f$n; n=$((n+1)); done', 'it wrote more than 300 files'],
  ])('OP-09 that writes too much %s gets no room for it', async (_what, command, reason) => {
    expect(await test.build('dep_full', {}, `echo $(stat -f -c %b /app) blocks; ${command}`)).toEqual({
      ok: false,
      code: 'BUILD_FAILED',
      detail: `The build command ended: killed: ${reason}.`,
    })
    const blocks = Number(/\d+/.exec(test.lines.findLast((line) => line.endsWith(' blocks'))!)?.[0])
    expect(blocks * 4096).toBeLessThan(25 * MIB)
    expect(readdirSync(join(test.dataDir, 'apps', 'app_1', 'builds'))).toEqual([])
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(test.dataDir)
  })

  it('OP-09 can write nowhere but to its file system and its tmpfs', async () => {
    const command = `for place in / /dev /dev/shm /etc /home /svc /svc/run /svc/out /usr; do
      (echo > $place/x) 2> /dev/null && echo wrote $place; done; stat -f -c %T /app $HOME /tmp; cp /bin/ls kept`
    expect(await test.build('dep_places', { 'a/b.txt': 'text' }, command)).toMatchObject({ ok: true })
    expect(test.lines.filter((line) => line.startsWith('stdout: wrote'))).toEqual([])
    expect(test.lines.slice(-3)).toEqual(['stdout: ext2/ext3', 'stdout: ext2/ext3', 'stdout: tmpfs'])
    expect(readdirSync(join(test.dataDir, 'apps', 'app_1', 'releases', 'dep_places')).sort()).toEqual(['a', 'kept'])
  })

  it('OP-09 finds no more room than its organization has left, and then none', async () => {
    const organization = { memoryBytes: 4096 * MIB, processes: 1000, diskBytes: 12 * MIB }
    const buildDisk = { bytes: 10 * MIB, files: 300, minFreeBytes: MIB }
    await using small = openTestTarget({ limits: { organization, buildDisk } })
    const write = 'head -c 8M /dev/zero > big'
    expect(await small.build('dep_one', {}, write)).toMatchObject({ ok: true })
    expect(await small.build('dep_two', {}, write)).toEqual({
      ok: false,
      code: 'BUILD_FAILED',
      detail:
        'The build command ended: killed: it wrote more than 4 MB, which is what its organization has left of 12 MB ' +
        '(SVC_APPS_DISK_PER_ORG_MB).',
    })
    expect(await small.build('dep_three', {}, 'head -c 3584K /dev/zero > big')).toMatchObject({ ok: true })
    expect(await small.build('dep_four', {}, null)).toEqual({
      ok: false,
      code: 'BUILD_FAILED',
      detail:
        "The apps of this organization may take 12 MB of the server's disk, which is too little for this deploy. Delete " +
        'apps that are not needed, or ask the operator to raise SVC_APPS_DISK_PER_ORG_MB.',
    })
  })

  it('OP-09 leaves nothing mounted after a server was killed', async () => {
    await using own = openTestTarget()
    const folder = join(own.dataDir, 'apps', 'app_1', 'builds', 'dep_killed')
    const program = `import { mkdirSync } from 'node:fs'
      const { openSizedDisk } = await import(${JSON.stringify(SIZED_DISK)})
      mkdirSync(${JSON.stringify(folder)}, { recursive: true })
      await openSizedDisk(${JSON.stringify(folder)}, { bytes: 2 ** 20, files: 16 })
      process.kill(process.pid, 'SIGKILL')`
    expect(spawnSync(process.execPath, ['--input-type=module', '-e', program]).signal).toBe('SIGKILL')
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).toContain(folder)
    await using next = openTestTarget({ dataDir: own.dataDir })
    await next.target.prune(appRef('app_1'), [])
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder)
    expect(existsSync(folder)).toBe(false)
  })
})

const SIZED_DISK = join(import.meta.dirname, '../../../../lib/processes/sized-disk.ts')

/** Linux's number of the scheduling class that runs when nothing else does. */
const IDLE = 5

/** Resolves with the scheduling class of the script in a sandbox (field 41 of /proc/PID/stat), once it runs. */
async function policyOf(firstPid: number): Promise<number> {
  let policy = 0
  await until(async () => {
    const [script] = await descendantsOf(firstPid)
    const stat = script === undefined ? '' : readFileSync(`/proc/${script}/stat`, 'utf8')
    policy = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])
    return stat.includes('(node)') || stat.includes('(MainThread)')
  })
  return policy
}
