import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findControlGroups } from './control-groups.ts'
import { limitedBy } from './memory-events.ts'
import { findOwnGroups } from './own-groups.ts'

const MIB = 2 ** 20
const LIMITS = {
  own: { memoryBytes: 512 * MIB, processes: 258 },
  organization: { memoryBytes: 4096 * MIB, processes: 4096 },
}

let top: string
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'svc-groups-'))
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

/** A folder that looks like a hierarchy of version 2. Unlike a real one it accepts every value. */
function fakeVersion2(controllers: string) {
  const own = join(top, 'system.slice/svc.service')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'cgroup.controllers'), `${controllers}\n`)
  writeFileSync(join(own, 'cgroup.procs'), '4711\n')
  const facts = {
    cgroup: '0::/system.slice/svc.service\n',
    mountinfo: `41 31 0:38 / ${top} rw,relatime - cgroup2 cgroup2 rw\n`,
    isOurs: async () => true,
  }
  const read = (path: string) => readFileSync(join(own, path), 'utf8')
  return { own, facts, read }
}

describe('control groups of version 2', () => {
  it('OP-09 limit an organization and each of its apps', async () => {
    const { own, facts, read } = fakeVersion2('cpuset cpu io memory pids')
    const groups = await findControlGroups('/data', facts)
    expect(groups.versions).toEqual({ memory: 2, pids: 2, cpu: 2 })
    expect(read('svc-server/cgroup.procs')).toBe('4711')
    expect(read('cgroup.subtree_control')).toBe('+memory +pids +cpu')
    expect(read('svc-apps/cpu.weight')).toBe('10')
    const group = groups.open('org_1', LIMITS)
    group.add(4712)
    const installation = 'svc-apps/bd47413b5c03'
    expect(read(`${installation}/org_1/memory.max`)).toBe(String(4096 * MIB))
    expect(read(`${installation}/org_1/pids.max`)).toBe('4096')
    expect(read(`${installation}/org_1/cgroup.subtree_control`)).toBe('+memory +pids +cpu')
    const [name] = foldersIn(join(own, installation, 'org_1'))
    const files = ['cgroup.procs', 'memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max']
    expect(files.map((file) => read(`${installation}/org_1/${name}/${file}`))).toEqual([
      '4712',
      String(512 * MIB),
      '0',
      '1',
      '258',
    ])
  })

  it.each([
    ['its own limit', 'oom 1\noom_kill 1\n', 'oom 0\n', 'own'],
    ['that of its organization', 'oom 0\noom_kill 1\n', 'oom 1\n', 'organization'],
    ['the memory of the machine', 'oom 0\noom_kill 1\n', 'oom 0\n', 'machine'],
    ['nothing', 'oom 0\noom_kill 0\n', 'oom 1\n', undefined],
  ])('OP-09 say that an app was ended by %s', async (_what, ownEvents, above, expected) => {
    const { own, facts } = fakeVersion2('memory')
    const group = (await findControlGroups('/data', facts)).open('org_1', LIMITS)
    const organization = join(own, 'svc-apps/bd47413b5c03/org_1')
    writeFileSync(join(organization, 'memory.events.local'), above)
    writeFileSync(join(organization, foldersIn(organization)[0]!, 'memory.events.local'), ownEvents)
    expect(group.memoryEndedBy()).toBe(expected)
  })

  it('AP-02 say how much memory an app uses, without files that need not stay there', async () => {
    const { own, facts } = fakeVersion2('memory')
    const group = (await findControlGroups('/data', facts)).open('org_1', LIMITS)
    expect(group.memoryBytes()).toBeUndefined()
    const organization = join(own, 'svc-apps/bd47413b5c03/org_1')
    const folder = join(organization, foldersIn(organization)[0]!)
    writeFileSync(join(folder, 'memory.current'), '5000\n')
    expect(group.memoryBytes()).toBe(5000)
    writeFileSync(join(folder, 'memory.stat'), 'anon 3000\ninactive_file 1500\nactive_file 500\n')
    expect(group.memoryBytes()).toBe(3500)
  })

  it.each([
    ['belongs to another program', 'memory pids cpu', false],
    ['has no controllers', '', true],
  ])('OP-09 are not made where the own group %s', async (_what, controllers, isOurs) => {
    const { own, facts } = fakeVersion2(controllers)
    const groups = await findControlGroups('/data', { ...facts, isOurs: async () => isOurs })
    expect(groups.versions).toEqual({})
    expect(existsSync(join(own, 'svc-apps'))).toBe(false)
  })
})

describe('the own groups of a process', () => {
  const MOUNTS = `32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory
39 31 0:36 /docker/abc /with\\040blank rw - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
`
  it('OP-09 are found where they are mounted, also in a container', () => {
    const cgroup = '5:pids:/docker/abc/x\n4:memory:/docker/abc\n3:cpu,cpuacct:/user\n2:freezer:/\n0::/\n'
    expect(findOwnGroups(cgroup, MOUNTS)).toEqual([
      { version: 1, folder: '/with blank/x', controllers: ['pids'] },
      { version: 1, folder: '/sys/fs/cgroup/memory', controllers: ['memory'] },
      { version: 1, folder: '/sys/fs/cgroup/cpu,cpuacct/user', controllers: ['cpu'] },
      { version: 2, folder: '/sys/fs/cgroup/unified', controllers: [] },
    ])
  })

  it('OP-09 are left out where no mount shows them', () => {
    expect(findOwnGroups('4:memory:/docker/other\n0::/../x\n', MOUNTS)).toEqual([])
  })
})

it('OP-09 an app at its own limit is not said to be at that of its organization', () => {
  expect(limitedBy({ ended: 1, reachedLimit: true }, { ended: 0, reachedLimit: true })).toBe('own')
})

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}
