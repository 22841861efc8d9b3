import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { descendantsOf } from '#lib/processes/process-memory.ts'
import { appRef, openTestTarget } from '#test/apps/app-target.ts'
import { needs } from '#test/stores.ts'
import { until } from '#test/until.ts'

const PROGRAM = join(import.meta.dirname, '../../../../../test/help/apps/app-target-program.ts')
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Starts a server that runs an app, and returns the pids of all that the app consists of. */
async function serverWithApp(mode: 'bare' | 'walled') {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-orphans-'))
  folders.push(dataDir)
  const server = spawn(process.execPath, [PROGRAM, dataDir, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(server.stdout, 'data')
  const running = join(dataDir, 'apps', 'app_1', 'running')
  const files = readdirSync(running)
  const place = readFileSync(join(running, files.find((name) => name.endsWith('.place'))!), 'utf8')
  const named = files
    .filter((name) => !name.endsWith('.place'))
    .map((name) => Number(readFileSync(join(running, name), 'utf8').split(' ')[0]))
  const below = await until(async () => {
    const found = await descendantsOf(server.pid!)
    return found.length >= 3 && found
  })
  expect(below).toEqual(expect.arrayContaining(named))
  const kill = async () => {
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  return { dataDir, running, place, pids: below, kill, named }
}

const isGone = (pid: number) => !existsSync(`/proc/${pid}`) || /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))

needs('bubblewrap')('a server that is killed', () => {
  it('MA-15 takes its apps with it, because their sandboxes end with their parent', async () => {
    const { pids, kill } = await serverWithApp('walled')
    await kill()
    await until(() => pids.every(isGone))
  })
})

describe('what a killed server left without a sandbox', () => {
  it('MA-15 ends by itself when its script learns of it', async () => {
    const { pids, kill } = await serverWithApp('bare')
    await kill()
    await until(() => pids.every(isGone))
  })

  it('MA-15 is ended by the next server even if the script hangs, and before another is started', async () => {
    const { dataDir, running, place, pids, named, kill } = await serverWithApp('bare')
    for (const pid of named) process.kill(pid, 'SIGSTOP')
    await kill()
    expect(pids.filter((pid) => !isGone(pid))).not.toEqual([])
    expect(existsSync(place)).toBe(true)
    await using next = openTestTarget({ dataDir, bubblewrapPlaces: [] })
    await next.target.endOrphans({ ...appRef('app_1'), fence: 1 }, [])
    expect(pids.filter((pid) => !isGone(pid))).toEqual([])
    expect(readdirSync(running)).toEqual([])
    expect(existsSync(place)).toBe(false)
  })
})
