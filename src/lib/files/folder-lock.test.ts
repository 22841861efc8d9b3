import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FolderInUse, lockFolder } from './folder-lock.ts'

const place = mkdtempSync(join(tmpdir(), 'svc-lock-'))
const holder = join(place, 'hold.mts')
const children: ChildProcess[] = []
let folders = 0

beforeAll(() => {
  writeFileSync(
    holder,
    `import { lockFolder } from ${JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))}
    try {
      globalThis.lock = lockFolder(process.argv[2])
      console.log('held')
      process.stdin.resume()
    } catch (error) {
      console.log(error.name + ': ' + error.message)
    }`,
  )
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
})
afterAll(() => rmSync(place, { recursive: true }))

const newFolder = () => join(place, `folder ${folders++}`, 'deep')

const lock = (folder: string) => {
  const locked = lockFolder(folder)
  onTestFinished(() => locked[Symbol.dispose]())
}

/** A process that tries to take the folder, and the first line it says about that. */
async function hold(folder: string): Promise<{ child: ChildProcess; firstLine: string }> {
  const child = spawn(process.execPath, [holder, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [firstLine] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, firstLine }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

describe('a locked folder', () => {
  it('is created readable by its owner only', () => {
    const folder = newFolder()
    lock(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'lock.json')).mode & 0o777).toBe(0o600)
  })

  it('is refused to the same process a second time, naming the process', () => {
    const folder = newFolder()
    lock(folder)
    expect(() => lockFolder(folder)).toThrow(FolderInUse)
    expect(() => lockFolder(folder)).toThrow(`${folder} is in use by process ${process.pid}, started 20`)
  })

  it('is refused to another process, naming the holder, also after it was refused once', async () => {
    const folder = newFolder()
    lock(folder)
    const refusal = new RegExp(`^FolderInUse: .*folder \\d+/deep is in use by process ${process.pid}, started 20`)
    expect((await hold(folder)).firstLine).toMatch(refusal)
    expect((await hold(folder)).firstLine).toMatch(refusal)
  })

  it('is refused while another process holds it, and free at once when that process is killed', async () => {
    const folder = newFolder()
    const { child, firstLine } = await hold(folder)
    expect(firstLine).toBe('held')
    expect(() => lockFolder(folder)).toThrow(`in use by process ${child.pid}, started`)
    await end(child)
    lock(folder)
    expect(() => lockFolder(folder)).toThrow(`in use by process ${process.pid}, started`)
  })

  it('is free again when the lock is disposed of', async () => {
    const folder = newFolder()
    lockFolder(folder)[Symbol.dispose]()
    expect((await hold(folder)).firstLine).toBe('held')
  })

  it('leaves other folders free', () => {
    lock(newFolder())
    expect(() => lockFolder(newFolder())[Symbol.dispose]()).not.toThrow()
  })

  it('is refused without naming its holder if the holder file is missing', () => {
    const folder = newFolder()
    lock(folder)
    writeFileSync(join(folder, 'lock.json'), '')
    expect(() => lockFolder(folder)).toThrow(`${folder} is in use by another process`)
  })
})
