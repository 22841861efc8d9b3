import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { until } from '#test/until.ts'
import {
  endFormerProcess,
  forgetProcess,
  identityOf,
  isStaying,
  killerOf,
  namesLivingProcess,
  rememberProcess,
} from './former-process.ts'
import { descendantsOf } from './process-memory.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-former-'))
const file = join(folder, 'pid')
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function start(script: string): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore' })
  children.push(child)
  await once(child, 'spawn')
  return child
}

describe.skipIf(process.platform !== 'linux')('a remembered process (skipped: needs /proc of Linux)', () => {
  it('is ended together with everything below it', async () => {
    const child = await start('sleep 1000 & sleep 1000 & wait')
    await until(async () => (await descendantsOf(child.pid!)).length === 2)
    const pids = [child.pid!, ...(await descendantsOf(child.pid!))]
    rememberProcess(file, child.pid!)
    const exited = once(child, 'exit')
    await endFormerProcess(file)
    await exited
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`) && !isZombie(pid))).toEqual([])
  })

  it('OP-07 stays while it becomes another program, and not once it ends', async () => {
    const child = await start('exec sleep 1000')
    const identity = identityOf(child.pid!)
    expect(isStaying(identity)).toBe(true)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    expect(isStaying(identity)).toBe(false)
  })

  it('is left alone if another process has its pid by now', async () => {
    const child = await start('exec sleep 1000')
    rememberProcess(file, child.pid!)
    const [pid, ticks, boot] = readFileSync(file, 'utf8').split(' ')
    writeFileSync(file, [pid, Number(ticks) - 1, boot].join(' '))
    await endFormerProcess(file)
    writeFileSync(file, [pid, ticks, 'another-boot'].join(' '))
    await endFormerProcess(file)
    expect(child.exitCode ?? child.signalCode).toBeNull()
    expect(isZombie(child.pid!)).toBe(false)
  })

  it('that has ended is nothing to wait for, and neither is a file that is missing or damaged', async () => {
    const child = await start('exit 0')
    rememberProcess(file, child.pid!)
    if (child.exitCode === null) await once(child, 'exit')
    await endFormerProcess(file)
    writeFileSync(file, 'not a pid')
    await endFormerProcess(file)
    rmSync(file)
    await endFormerProcess(file)
  })

  it('does not live on as a zombie, which has ended but was not waited for by its parent', async () => {
    // The shell starts a child and becomes a program that never waits for it.
    const parent = await start('sleep 1000 & exec sleep 1000')
    const pid = await until(async () => (await descendantsOf(parent.pid!))[0])
    rememberProcess(file, pid)
    expect(namesLivingProcess(file)).toBe(true)
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n')
    process.kill(pid, 'SIGKILL')
    await until(() => isZombie(pid))
    expect(namesLivingProcess(file)).toBe(false)
  })

  it('is killed by its killer, and nobody once it has ended', async () => {
    const child = await start('exec sleep 1000')
    const kill = killerOf(child.pid!)
    kill()
    await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    kill()
  })

  it('is forgotten only by itself', () => {
    rememberProcess(file, process.pid)
    forgetProcess(file, 1)
    expect(existsSync(file)).toBe(true)
    forgetProcess(file, process.pid)
    expect(existsSync(file)).toBe(false)
  })

  it('has descendants that other threads than its first one made', async () => {
    const script = `new (require('node:worker_threads').Worker)(
      "require('node:child_process').spawn('sleep', ['1000']); setInterval(() => {}, 1000)", { eval: true })`
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
    children.push(child)
    // Until it runs its program, the new process has the name of the thread that made it.
    const below = await until(async () => {
      const found = await descendantsOf(child.pid!)
      return found.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n')
    })
    process.kill(below, 'SIGKILL')
  })
})

function isZombie(pid: number): boolean {
  return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}
