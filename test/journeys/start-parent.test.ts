import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { until } from '#test/until.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** `bin/start.js` of a copied checkout whose console counts as built, so that nothing is built in this one. */
describe('OP-01 a server whose parent process ends', () => {
  let place: string
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'svc-parent-'))
    for (const part of ['bin', 'scripts', 'src', 'skills', 'package.json'])
      cpSync(join(ROOT, part), join(place, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'))
    mkdirSync(join(place, 'dist', 'console'), { recursive: true })
    writeFileSync(join(place, 'dist', 'console', 'index.html'), '')
    for (const dataDir of ['direct', 'npm']) {
      mkdirSync(join(place, dataDir))
    }
  })
  afterAll(() => rmSync(place, { recursive: true, force: true }))

  // The process that opens the file may begin after the shell has printed its number.
  const outputOf = (name: string) => {
    const file = join(place, `${name}.out`)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  const urlOf = (name: string) => /^svc ready at (\S+)$/m.exec(outputOf(name))?.[1]
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  /** Starts one server without and one with the variables of npm from one shell, which ends when `end` is called. */
  async function startBoth() {
    const start = (name: string) =>
      `PORT=0 SVC_EXAMPLE=false SVC_DATA_DIR=${name} "${process.execPath}" bin/start.js >${name}.out 2>&1 & echo $!`
    const underNpm = `export npm_lifecycle_event=start npm_execpath=npm-cli.js; ${start('npm')}`
    const shell = spawn('sh', ['-c', `${start('direct')}; ${underNpm}; read line`], {
      cwd: place,
      // The cache of compiled code is keyed by path, so entries of this folder are of no use afterwards.
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(place, 'code') },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const pids = await new Promise<number[]>((resolve) => {
      let text = ''
      shell.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        const found = text.trim().split('\n').map(Number)
        if (found.length === 2) resolve(found)
      })
    })
    onTestFinished(async () => {
      shell.kill('SIGKILL')
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGTERM')
      await until(() => !pids.some(isAlive))
    })
    await until(() => urlOf('direct') && urlOf('npm'))
    const end = async () => {
      shell.kill('SIGKILL')
      await once(shell, 'exit')
    }
    return { direct: pids[0]!, npm: pids[1]!, end }
  }

  it('stops under npm and says why; started directly it stays', async () => {
    const { direct, npm, end } = await startBoth()
    expect([isAlive(direct), isAlive(npm)]).toEqual([true, true])
    await end()
    await until(() => !isAlive(npm))
    expect(outputOf('npm')).toContain('svc stops, because npm, which started it, has ended')
    expect((await fetch(`${urlOf('direct')}/healthz`)).status).toBe(200)
    expect(outputOf('direct')).not.toContain('svc stops')
  })
})
